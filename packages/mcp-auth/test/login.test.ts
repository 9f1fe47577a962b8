import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { reach, remoteServer } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

describe("a server that requires a login", () => {
  it("is logged in to on its challenge, and the request is repeated once", async () => {
    await using scene = await openScene();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.guarded.requests.map(({ status }) => status)).toEqual([401, 200]);
    expect(scene.pages).toHaveLength(1);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(1);
  });

  it("fails the request when unattended and names the login command", async () => {
    await using scene = await openScene({ isUnattended: true });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      server: "files",
      httpStatus: 401,
      outcome: "rejected",
      message: expect.stringContaining("jackfield login files"),
    });
    expect(scene.authority.requestsTo("/register")).toEqual([]);
  });

  it("can be logged in to in advance, with the scopes of its challenge", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    const made = await scene.oauth.login(scene.server, { scopes: ["extra"] });
    expect(made).toMatchObject({
      issuer: scene.authority.issuer,
      scopes: ["read", "extra"],
      isRefreshable: true,
    });
    expect(JSON.stringify(made)).not.toMatch(/access-|refresh-/);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(1);
  });

  it("gets no token after a logout, in this run or a later one", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(await scene.oauth.logout(scene.server)).toBe(true);
    expect(await scene.oauth.headers(scene.server)).toEqual({});
    expect(await scene.again().headers(scene.server)).toEqual({});
    expect(await scene.oauth.logout(scene.server)).toBe(false);
  });

  it("gets one login for all concurrent challenges", async () => {
    await using scene = await openScene();
    const others = Array.from({ length: 5 }, (_, index) => remoteServer(scene.guarded.url, `copy-${index}`));
    expect(await Promise.all(others.map((server) => reach(scene.oauth, server)))).toEqual(
      others.map(() => 200),
    );
    expect(scene.pages).toHaveLength(1);
    expect(scene.authority.requestsTo("/token")).toHaveLength(1);
  });

  it("causes no second login right after it refuses a new token", async () => {
    await using scene = await openScene({ behavior: { refreshTokens: "keep" } });
    await reach(scene.oauth, scene.server);
    scene.authority.office.endLogins();
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("the login that was just completed"),
    });
    expect(scene.pages).toHaveLength(1);
    scene.clock.now += 60_000;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(2);
  });

  it("has nothing stored after the login is aborted", async () => {
    const asked = Promise.withResolvers<void>();
    await using scene = await openScene({ oauth: { authorize: async () => asked.resolve() } });
    const control = new AbortController();
    const login = scene.oauth.login(scene.server, { signal: control.signal });
    const refused = expect(login).rejects.toMatchObject({ code: "MCP_ABORTED" });
    await asked.promise;
    control.abort();
    await refused;
    expect(await scene.vault.list()).toEqual([]);
  });

  it("is not logged in to if its entry turns OAuth off or is local", async () => {
    await using scene = await openScene({ oauth: { settingsOf: () => ({ settings: false }) } });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      httpStatus: 401,
      message: `Server "files": it refused access (HTTP 401), and its entry switches logins off ("oauth": false). Give its entry a valid Authorization header.`,
    });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
    const local = {
      name: "local",
      transport: "stdio",
      command: "x",
      args: [],
      env: {},
      secrets: [],
    } as const;
    await expect(scene.oauth.login(local)).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
    expect(scene.authority.requests).toEqual([]);
  });
});

describe("the requests to an authorization server", () => {
  it("[A16] [T34] name the advertised resource in authorization, code and refresh requests", async () => {
    await using scene = await openScene();
    const resource = scene.guarded.url.replace("/mcp", "");
    scene.guard({ metadata: { resource } });
    await scene.oauth.login(scene.server);
    scene.clock.now += 3_600_000;
    await scene.oauth.headers(scene.server);
    const asked = [...scene.authority.requestsTo("/authorize"), ...scene.authority.requestsTo("/token")];
    expect(asked.map(({ parameters }) => [parameters.grant_type, parameters.resource])).toEqual([
      [undefined, resource],
      ["authorization_code", resource],
      ["refresh_token", resource],
    ]);
  });

  it("[A16] name no resource if none is advertised, not even in a refresh", async () => {
    await using scene = await openScene({ guard: { isIssuer: true } });
    await scene.oauth.login(scene.server);
    scene.clock.now += 3_600_000;
    await scene.oauth.headers(scene.server);
    const asked = [...scene.authority.requestsTo("/authorize"), ...scene.authority.requestsTo("/token")];
    expect(asked.map(({ parameters }) => parameters.resource)).toEqual([undefined, undefined, undefined]);
  });

  it("[T34] are not sent if metadata or entry name another resource", async () => {
    await using scene = await openScene({ guard: { metadata: { resource: "https://other.example/mcp" } } });
    const refusal = { code: "MCP_AUTH_REQUIRED", message: expect.stringContaining("does not match its URL") };
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(refusal);
    scene.guard({});
    const entry = scene.again({ settingsOf: () => ({ settings: { resource: "https://other.example" } }) });
    await expect(entry.login(scene.server)).rejects.toMatchObject(refusal);
    expect(scene.authority.requests).toEqual([]);
    expect(scene.pages).toEqual([]);
  });

  it("[A17] include offline_access and prompt=consent only if the server supports that scope", async () => {
    for (const [scopes, wanted] of [
      [
        ["read", "offline_access"],
        ["read offline_access", "consent"],
      ],
      [["read"], ["read", undefined]],
    ] as const) {
      await using scene = await openScene({
        behavior: { metadata: { scopes_supported: scopes } },
        guard: { scope: "read" },
      });
      await scene.oauth.login(scene.server);
      const [page] = scene.authority.requestsTo("/authorize");
      expect([page?.parameters.scope, page?.parameters.prompt]).toEqual(wanted);
    }
  });

  it("[T32] end after discovery if the server does not support PKCE with S256", async () => {
    for (const methods of [["plain"], null]) {
      await using scene = await openScene({
        behavior: { metadata: { code_challenge_methods_supported: methods } },
      });
      await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        message: expect.stringContaining("PKCE"),
      });
      const asked = scene.authority.requests.map(({ path }) => path);
      expect(asked.filter((path) => !path.startsWith("/.well-known/"))).toEqual([]);
    }
  });

  it("[T43] carry none of the entry's headers for the MCP server", async () => {
    await using scene = await openScene();
    const server = { ...scene.server, headers: { "x-api-key": "for-the-server-only", cookie: "a=b" } };
    await scene.oauth.login(server);
    scene.clock.now += 3_600_000;
    await scene.oauth.headers(server);
    expect(scene.authority.requestsTo("/token")).toHaveLength(2);
    const sent = JSON.stringify(scene.authority.requests.map(({ headers }) => headers));
    expect(sent).not.toContain("for-the-server-only");
    expect(sent).not.toContain("cookie");
  });
});
