import { startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createOAuth } from "../src/index.ts";
import { startServer } from "./network/http-server.ts";
import { remoteServer } from "./request.ts";
import { openScene, visit } from "./scene.ts";

useLeakCheck();

/** A server whose metadata only its challenge names. With `isOpen`, the response with the challenge never ends. */
async function startChallenging(issuer: string, { method = "POST", isOpen = false } = {}) {
  const server = await startServer((request, response) => {
    const { origin } = server;
    if (request.url === "/hidden/metadata") {
      const metadata = { resource: `${origin}/mcp`, authorization_servers: [issuer] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
    } else if (request.url === "/mcp" && request.method === method) {
      const challenge = `Bearer resource_metadata="${origin}/hidden/metadata", scope="read"`;
      response.writeHead(401, { "www-authenticate": challenge });
      if (isOpen) response.write("refused, and ");
      else response.end();
    } else response.writeHead(request.url === "/mcp" ? 405 : 404).end();
  });
  return server;
}

describe("the probe before a login", () => {
  it("uses GET for an SSE server and follows its challenge", async () => {
    await using authority = await startAuthorizationServer();
    await using server = await startChallenging(authority.issuer, { method: "GET" });
    await using oauth = createOAuth({ authorize: (url) => visit(url, []) });
    const entry = { ...remoteServer(`${server.origin}/mcp`), transport: "sse" } as const;
    expect(await oauth.login(entry)).toMatchObject({ issuer: authority.issuer, scopes: ["read"] });
    const [asked] = server.received;
    expect(asked).toMatchObject({ method: "GET", headers: { accept: "text/event-stream" } });
  });

  it("sends no credentials from the server's URL and follows its challenge", async () => {
    await using authority = await startAuthorizationServer();
    await using server = await startChallenging(authority.issuer);
    await using oauth = createOAuth({ authorize: (url) => visit(url, []) });
    const entry = remoteServer(`${server.origin.replace("//", "//user:pass@")}/mcp`);
    const resource = `${server.origin}/mcp`;
    expect(await oauth.login(entry)).toMatchObject({ serverUrl: resource, resource, scopes: ["read"] });
    expect(server.received.map(({ headers }) => headers.authorization)).not.toContainEqual(expect.anything());
  });

  it("follows the challenge of a response that never ends", async () => {
    await using authority = await startAuthorizationServer();
    await using server = await startChallenging(authority.issuer, { isOpen: true });
    await using oauth = createOAuth({ authorize: (url) => visit(url, []) });
    const login = oauth.login(remoteServer(`${server.origin}/mcp`));
    expect(await login).toMatchObject({ issuer: authority.issuer, scopes: ["read"] });
  });

  it.each([
    ["resource metadata", {}],
    ["no metadata, being its own issuer", { isIssuer: true }],
  ])("ignores the user in the URL of a server with %s", async (_metadata, guard) => {
    await using scene = await openScene({ guard });
    const server = { ...scene.server, url: scene.server.url.replace("://", "://ada@") };
    const { issuer } = await scene.oauth.login(server);
    expect(issuer).not.toContain("ada");
    expect(await scene.oauth.headers(scene.server)).toEqual(await scene.oauth.headers(server));
  });
});
