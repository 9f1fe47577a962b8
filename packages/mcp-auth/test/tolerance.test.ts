import { startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { startServer } from "./network/http-server.ts";
import { reach, remoteServer } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;
const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const originOf = (scene: Scene) => new URL(scene.server.url).origin;

/** Logs in, calls, and renews. */
async function expectLogin(scene: Scene, server = scene.server): Promise<void> {
  expect(await reach(scene.oauth, server)).toBe(200);
  const first = await scene.oauth.headers(server);
  scene.clock.now += HOUR_MS;
  expect(await scene.oauth.headers(server)).not.toEqual(first);
  scene.authority.office.expireAccessTokens();
  expect(await reach(scene.oauth, server)).toBe(200);
  expect(scene.pages).toHaveLength(1);
}

describe("an issuer at the root of its origin", () => {
  it.each([
    ["", "/"],
    ["/", ""],
    ["/", "/"],
  ])("named with %j and calling itself with %j is one", async (named, own) => {
    await using scene = await openScene();
    const { issuer } = scene.authority;
    scene.guard({ metadata: { authorization_servers: [issuer + named] } });
    scene.authority.behave({ metadata: { issuer: issuer + own } });
    await expectLogin(scene);
  });

  it("keeps its login when the slash comes or goes, also for a client of the entry", async () => {
    const settingsOf = () => ({ settings: { clientId: "fixed" } });
    await using scene = await openScene({ oauth: { settingsOf } });
    await expectLogin(scene);
    scene.guard({ metadata: { authorization_servers: [`${scene.authority.issuer}/`] } });
    scene.authority.behave({ metadata: { issuer: `${scene.authority.issuer}/` } });
    scene.authority.office.expireAccessTokens();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(1);
    await scene.oauth.login(scene.server);
  });
});

describe("a resource", () => {
  it.each([
    ["/mcp", "/mcp"],
    ["/mcp", "/mcp/"],
    ["/mcp/", "/mcp"],
    ["/mcp", ""],
    ["/mcp", "/"],
    ["/mcp?tenant=a", "/mcp"],
  ])("for the URL %s named %s is its own, and is sent as it is named", async (path, named) => {
    await using scene = await openScene();
    const resource = originOf(scene) + named;
    scene.guard({ metadata: { resource } });
    await expectLogin(scene, remoteServer(originOf(scene) + path));
    const sent = scene.authority.requests.flatMap(({ parameters }) => parameters.resource ?? []);
    expect(new Set(sent)).toEqual(new Set([resource]));
  });

  it.each([
    ["another origin", "https://other.example/mcp"],
    ["another path", "/other"],
    ["a path that only begins alike", "/mc"],
    ["a path below", "/mcp/below"],
    ["no URL", "files"],
  ])("that is %s is refused, and the error names both", async (_, named) => {
    await using scene = await openScene();
    const resource = named.startsWith("/") ? originOf(scene) + named : named;
    scene.guard({ metadata: { resource } });
    const login = scene.oauth.login(scene.server);
    await expect(login).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    await expect(login).rejects.toThrow(resource);
    await expect(login).rejects.toThrow(scene.server.url);
    expect(scene.authority.requests).toEqual([]);
  });

  it("that is not named is the server's URL", async () => {
    await using scene = await openScene({ guard: { metadata: { resource: null } } });
    await expectLogin(scene);
    expect(scene.authority.requestsTo("/authorize")[0]?.parameters.resource).toBe(scene.server.url);
  });
});

describe("a member of the metadata", () => {
  it.each<[string, object]>([
    ["that is empty", { resource_documentation: "", scopes_supported: [], jwks_uri: "" }],
    ["that says nothing", { scopes_supported: [""], resource_name: 7, bearer_methods_supported: "header" }],
    [
      "that is an odd one besides",
      { tls_client_certificate_bound_access_tokens: "no", resource_policy_uri: "/p" },
    ],
  ])("of the resource %s ends no login", async (_, metadata) => {
    await using scene = await openScene({ guard: { metadata: { ...metadata } } });
    await expectLogin(scene);
    expect(scene.authority.requestsTo("/authorize")[0]?.parameters.scope).toBeUndefined();
  });

  it.each<[string, object]>([
    ["that is empty", { revocation_endpoint: "", jwks_uri: "", service_documentation: "" }],
    ["that is not needed and missing", { response_types_supported: [] }],
    ["of another type", { scopes_supported: "read", grant_types_supported: {}, revocation_endpoint: 1 }],
    [
      "that lists nothing",
      { token_endpoint_auth_methods_supported: [], response_types_supported: ["token"] },
    ],
  ])("of the authorization server %s ends no login", async (_, metadata) => {
    await using scene = await openScene({ behavior: { metadata: { ...metadata } } });
    await expectLogin(scene);
  });

  it("may be null in both documents", async () => {
    await using scene = await openScene();
    const { issuer } = scene.authority;
    const nulls = { scopes_supported: null, jwks_uri: null, service_documentation: null };
    await using described = await startServer(({ url }, response) => {
      const metadata = {
        issuer: described.origin,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: null,
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: null,
        ...nulls,
      };
      response.writeHead(url?.includes("oauth-authorization-server") ? 200 : 404);
      response.end(JSON.stringify(metadata));
    });
    scene.guard({ metadata: { authorization_servers: [null, "", described.origin] } });
    await expectLogin(scene);
  });
});

describe("a second place", () => {
  it.each([
    ["the root of the origin", WELL_KNOWN, undefined],
    ["its own path, if the named place has nothing", undefined, "/nowhere"],
    ["its own path, if the named place has a page", undefined, "/mcp"],
    ["its own path, if the named place is inside a company", undefined, "https://10.1.2.3/metadata"],
    ["its own path, if the named place is not there", undefined, "http://127.0.0.1:1/metadata"],
  ])("is asked for the resource: %s", async (_, metadataPath, namedMetadata) => {
    await using scene = await openScene({ guard: { metadataPath, namedMetadata } });
    await expectLogin(scene);
  });

  it.each([
    "/.well-known/openid-configuration/tenant",
    "/tenant/.well-known/openid-configuration",
    "/tenant/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server",
  ])("is asked for an authorization server with a path: %s", async (metadataPath) => {
    await using scene = await openScene();
    const issuer = `${scene.authority.issuer}/tenant`;
    scene.guard({ metadata: { authorization_servers: [issuer] } });
    scene.authority.behave({ metadataPath, metadata: { issuer } });
    await expectLogin(scene);
  });

  it("is asked if the first has the metadata of another issuer", async () => {
    await using scene = await openScene();
    const { issuer } = scene.authority;
    await using described = await startServer(({ url }, response) => {
      const isFirst = url === "/.well-known/oauth-authorization-server";
      response.end(
        JSON.stringify({
          issuer: isFirst ? "https://evil.example" : described.origin,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          code_challenge_methods_supported: ["S256"],
        }),
      );
    });
    scene.guard({ metadata: { authorization_servers: [described.origin] } });
    await expectLogin(scene);
  });
});

describe("a second authorization server", () => {
  const guardWith = (scene: Scene, ...servers: readonly string[]) =>
    scene.guard({ metadata: { authorization_servers: servers } });

  it.each([
    ["is not there", "http://127.0.0.1:1"],
    ["is inside a company", "https://10.1.2.3"],
    ["is no URL", "login.example"],
  ])("is used if the first %s", async (_, first) => {
    await using scene = await openScene();
    guardWith(scene, first, scene.authority.issuer);
    await expectLogin(scene);
  });

  it.each<[string, object]>([
    ["calls itself otherwise", { issuer: "https://evil.example" }],
    ["does not announce PKCE", { code_challenge_methods_supported: null }],
    ["has no token endpoint", { token_endpoint: null }],
    ["registers no clients", { registration_endpoint: null }],
  ])("is used if the first %s", async (_, metadata) => {
    await using scene = await openScene();
    await using first = await startAuthorizationServer({ metadata: { ...metadata } });
    guardWith(scene, first.issuer, scene.authority.issuer);
    await expectLogin(scene);
    expect(first.requestsTo("/register")).toEqual([]);
  });

  it("does not take over from the one of the login, whichever is named first", async () => {
    await using scene = await openScene();
    await using other = await startAuthorizationServer();
    guardWith(scene, scene.authority.issuer, other.issuer);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    guardWith(scene, other.issuer, scene.authority.issuer);
    scene.authority.office.expireAccessTokens();
    scene.clock.now += 60_000;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect([scene.pages.length, other.requests.length]).toEqual([1, 0]);
  });

  it("is not asked because of an outage of the one of the login", async () => {
    await using scene = await openScene();
    await using other = await startAuthorizationServer();
    await using down = await startServer((_, response) => response.writeHead(503).end());
    guardWith(scene, scene.authority.issuer, other.issuer);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const stored = await scene.vault.forServer(scene.server.url);
    if (stored) await scene.vault.write({ ...stored, issuer: down.origin });
    guardWith(scene, other.issuer, down.origin);
    scene.authority.office.expireAccessTokens();
    scene.clock.now += 60_000;
    const oauth = scene.again();
    await oauth.headers(scene.server);
    await expect(reach(oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      httpStatus: 503,
    });
    expect([scene.pages.length, other.requests.length]).toEqual([1, 0]);
  });

  it("that cannot be used either leaves the reason of the first", async () => {
    await using scene = await openScene();
    guardWith(scene, "https://10.1.2.3", "https://10.1.2.4");
    const login = scene.oauth.login(scene.server);
    await expect(login).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED", server: "files" });
    await expect(login).rejects.toThrow("10.1.2.3");
  });
});

describe("what stays refused", () => {
  it.each([
    ["another tenant", "/tenant", "/tenant/"],
    ["another path", "", "/tenant"],
  ])("%s as issuer, and the error names both", async (_, named, own) => {
    await using scene = await openScene();
    const { issuer } = scene.authority;
    scene.guard({ metadata: { authorization_servers: [issuer + named] } });
    scene.authority.behave({
      metadata: { issuer: issuer + own },
      metadataPath: `/.well-known/oauth-authorization-server${named}`,
    });
    const login = scene.oauth.login(scene.server);
    await expect(login).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    await expect(login).rejects.toThrow(`${issuer}${named} belongs to another issuer (${issuer}${own})`);
    expect(scene.pages).toEqual([]);
  });

  it("http in place of https, as issuer and as resource", async () => {
    await using scene = await openScene();
    scene.guard({ metadata: { authorization_servers: ["http://login.example"] } });
    await expect(scene.oauth.login(scene.server)).rejects.toThrow("OAuth requires https");
    scene.guard({ metadata: { resource: scene.server.url.replace("http:", "https:") } });
    await expect(scene.oauth.login(scene.server)).rejects.toThrow("does not match its URL");
  });
});
