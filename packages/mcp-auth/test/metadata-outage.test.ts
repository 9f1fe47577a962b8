import { startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { createOAuth, type OAuthOptions } from "../src/index.ts";
import { startServer } from "./network/http-server.ts";
import { reach, remoteServer } from "./request.ts";

useLeakCheck();

/** A server with scopes, whose metadata is answered with `gateway.status` if that is set. */
async function openServer(options: OAuthOptions = {}) {
  const gateway: { status?: number } = {};
  const authority = await startAuthorizationServer();
  const server = await startServer((request, response) => {
    const token = request.headers.authorization?.replace("Bearer ", "");
    const metadata = JSON.stringify({
      resource: `${server.origin}/mcp`,
      authorization_servers: [authority.issuer],
      scopes_supported: ["read", "write"],
    });
    if (request.url === "/.well-known/oauth-protected-resource/mcp")
      response.writeHead(gateway.status ?? 200).end(gateway.status ? "" : metadata);
    else if (request.url !== "/mcp") response.writeHead(404).end();
    else response.writeHead(token && authority.office.scopesOf(token) ? 200 : 401).end();
  });
  const oauth = createOAuth(options);
  return {
    authority,
    gateway,
    oauth,
    origin: server.origin,
    login: (name: string) =>
      oauth.login(remoteServer(`${server.origin}/mcp`, name), {
        authorize: async (url) => void (await fetch(url)),
      }),
    async [Symbol.asyncDispose]() {
      await oauth.close();
      await Promise.all([server[Symbol.asyncDispose](), authority.close()]);
    },
  };
}

it.each([502, 503])(
  "while metadata is answered with %d, renewals and new logins use what was advertised before",
  async (status) => {
    await using opened = await openServer();
    const { authority, gateway, oauth, origin } = opened;
    const remote = remoteServer(`${origin}/mcp`);
    await opened.login("files");
    expect(await reach(oauth, remote)).toBe(200);
    gateway.status = status;
    authority.office.expireAccessTokens();
    expect(await reach(oauth, remote)).toBe(200);
    expect((await opened.login("files")).scopes).toEqual(["read", "write"]);
    const sent = authority.requestsTo("/token").map(({ parameters }) => parameters);
    expect(sent.map(({ grant_type, resource }) => [grant_type, resource])).toEqual([
      ["authorization_code", remote.url],
      ["refresh_token", remote.url],
      ["authorization_code", remote.url],
    ]);
    const pages = authority.requestsTo("/authorize").map(({ parameters }) => parameters.scope);
    expect(pages).toEqual(["read write", "read write"]);
  },
);

it.each([
  ["another client and another resource", { clientId: "fixed", path: "/" }],
  ["a resource that the entry no longer names", { path: "/" }],
])("a login for %s does not help through a metadata outage", async (_, { path, ...client }) => {
  let origin = "";
  const settingsOf: OAuthOptions["settingsOf"] = ({ name }) =>
    name === "other" ? { settings: { ...client, resource: `${origin}${path}` } } : undefined;
  await using opened = await openServer({ settingsOf });
  origin = opened.origin;
  await opened.login("other");
  opened.gateway.status = 503;
  const outage = { code: "MCP_CONNECT_FAILED", httpStatus: 503 };
  await expect(opened.login("files")).rejects.toMatchObject(outage);
  expect(opened.authority.requestsTo("/authorize")).toHaveLength(1);
  opened.authority.office.expireAccessTokens();
  await expect(reach(opened.oauth, remoteServer(`${origin}/mcp`))).rejects.toMatchObject(outage);
  expect(opened.authority.requestsTo("/token")).toHaveLength(1);
});

it("a login for the resource that the entry still names is renewed and repeated in a metadata outage", async () => {
  let origin = "";
  const settingsOf: OAuthOptions["settingsOf"] = () => ({ settings: { resource: `${origin}/` } });
  await using opened = await openServer({ settingsOf });
  origin = opened.origin;
  await opened.login("files");
  const remote = remoteServer(`${origin}/mcp`);
  expect(await reach(opened.oauth, remote)).toBe(200);
  opened.gateway.status = 503;
  // A renewal keeps what the entry has named, so the second outage is like the first.
  for (const _ of [1, 2]) {
    opened.authority.office.expireAccessTokens();
    expect(await reach(opened.oauth, remote)).toBe(200);
  }
  await opened.login("files");
  const sent = opened.authority.requestsTo("/token").map(({ parameters }) => parameters.resource);
  expect(sent).toEqual(Array.from({ length: 4 }, () => `${origin}/`));
});
