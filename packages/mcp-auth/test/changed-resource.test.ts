import { startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createOAuth } from "../src/index.ts";
import { startServer } from "./network/http-server.ts";
import { reach, remoteServer } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";

useLeakCheck();

const refreshesOf = ({ authority }: Scene) =>
  authority.requestsTo("/token").filter(({ parameters }) => parameters.grant_type === "refresh_token");

describe("a login of a server that advertises another resource since", () => {
  it("[T33] is none for the new one: a person is asked, once, and the refresh token is not redeemed for the old one", async () => {
    await using scene = await openScene();
    const { origin } = new URL(scene.server.url);
    scene.guard({ metadata: { resource: `${origin}/` } });
    await reach(scene.oauth, scene.server);
    scene.guard({ metadata: { resource: scene.server.url } });
    scene.authority.office.expireAccessTokens();
    scene.clock.now += 60_000;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const resources = scene.authority.requestsTo("/token").map(({ parameters }) => parameters.resource);
    expect(resources).toEqual([`${origin}/`, scene.server.url]);
    expect(refreshesOf(scene)).toEqual([]);
    expect(scene.pages).toHaveLength(2);
    expect((await scene.vault.forServer(scene.server.url))?.resource).toBe(scene.server.url);
  });

  it("[T33] is missing where nobody can be asked", async () => {
    await using scene = await openScene({ isUnattended: true });
    const { origin } = new URL(scene.server.url);
    scene.guard({ metadata: { resource: `${origin}/` } });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    scene.guard({ metadata: { resource: scene.server.url } });
    scene.authority.office.expireAccessTokens();
    scene.clock.now += 60_000;
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("it wants a login. Log in with: jackfield login files"),
    });
    expect(refreshesOf(scene)).toEqual([]);
  });

  it("[T42] ends in an error if the server changes it whenever somebody has logged in", async () => {
    await using scene = await openScene();
    const { origin } = new URL(scene.server.url);
    await reach(scene.oauth, scene.server);
    scene.guard({ metadata: { resource: `${origin}/` } });
    scene.authority.office.expireAccessTokens();
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("the login that was just made"),
    });
    expect(scene.pages).toHaveLength(1);
  });
});

describe("a login of a server whose metadata a gateway has no way to", () => {
  it("is renewed, and made anew, for the resource that was advertised", async () => {
    let isDown = false;
    await using authority = await startAuthorizationServer();
    await using server = await startServer((request, response) => {
      const token = request.headers.authorization?.replace("Bearer ", "");
      const resource = `${server.origin}/mcp`;
      const metadata = JSON.stringify({ resource, authorization_servers: [authority.issuer] });
      if (request.url === "/.well-known/oauth-protected-resource/mcp")
        response.writeHead(isDown ? 502 : 200).end(isDown ? "" : metadata);
      else if (request.url !== "/mcp") response.writeHead(404).end();
      else response.writeHead(token && authority.office.scopesOf(token) ? 200 : 401).end();
    });
    const remote = remoteServer(`${server.origin}/mcp`);
    await using oauth = createOAuth();
    const login = () => oauth.login(remote, { authorize: async (url) => void (await fetch(url)) });
    await login();
    expect(await reach(oauth, remote)).toBe(200);
    isDown = true;
    authority.office.expireAccessTokens();
    expect(await reach(oauth, remote)).toBe(200);
    await login();
    const sent = authority.requestsTo("/token").map(({ parameters }) => parameters);
    expect(sent.map(({ grant_type, resource }) => [grant_type, resource])).toEqual([
      ["authorization_code", remote.url],
      ["refresh_token", remote.url],
      ["authorization_code", remote.url],
    ]);
  });
});
