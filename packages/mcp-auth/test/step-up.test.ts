import { type AuthorizationBehavior, startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

const requestedScopes = (scene: Awaited<ReturnType<typeof openScene>>) =>
  scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.scope);

describe("a request that needs more scopes than the login has", () => {
  it("[A24] leads to a login for the granted and the missing scopes together", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(requestedScopes(scene)).toEqual(["read", "read write"]);
    expect((await scene.vault.forServer(scene.server.url))?.scopes).toEqual(["read", "write"]);
  });

  it("[A24] registers a client for all scopes once, and later logins reuse it", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "write" });
    await reach(scene.oauth, scene.server);
    await scene.oauth.login(scene.server);
    const registered = scene.authority.requestsTo("/register").map(({ body }) => body?.scope);
    expect(registered).toEqual(["read", "read write"]);
  });

  it("[A24] [T42] does not ask the user again after a refusal until the next login", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "write" });
    const refusing = { callback: { code: null, error: "access_denied" } };
    scene.authority.behave(refusing);
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    for (const _ of [1, 2]) {
      await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        httpStatus: 403,
        message: expect.stringMatching(
          /\(write\), and an earlier request for more was declined\. Log in with: jackfield login files --scope "read write"$/,
        ),
      });
    }
    expect(requestedScopes(scene)).toEqual(["read", "read write"]);
    scene.authority.behave({});
    scene.guard({ scope: "read" });
    await scene.oauth.login(scene.server);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(requestedScopes(scene)).toEqual(["read", "read write", "read", "read write"]);
    scene.authority.behave(refusing);
    scene.guard({ scope: "admin" });
    const login = () => scene.oauth.login(scene.server, { scopes: ["admin"] });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    await expect(login()).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    scene.authority.behave({});
    await login();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("[A24] leads to a login after an attempt that failed on the metadata", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "write" });
    scene.authority.behave({ metadata: { issuer: "https://other.example" } });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it.each<[string, AuthorizationBehavior]>([
    ["is refused", { registration: { status: 403, body: { error: "no" } } }],
    ["is rate-limited", { registration: { status: 429, body: { error: "slow_down" } } }],
    ["answers 503", { registration: { status: 503, body: "down" } }],
    ["answers with an HTML page", { registration: { status: 200, body: "<html>Sign in</html>" } }],
    [
      "returns an empty client_id",
      { registration: { status: 201, body: { client_id: "", redirect_uris: [] } } },
    ],
    ["returns an empty object", { registration: { status: 201, body: {} } }],
    ["is no longer offered", { metadata: { registration_endpoint: null } }],
  ])("[A24] leads to a login with the old client when registration %s", async (_, behavior) => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "write" });
    scene.authority.behave(behavior);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const clients = scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.client_id);
    expect(new Set(clients).size).toBe(1);
  });

  it("[A24] registers no new client for scopes that were granted without being registered", async () => {
    await using scene = await openScene({
      guard: { scope: "read" },
      behavior: { grantedScope: "read write" },
    });
    await reach(scene.oauth, scene.server);
    await scene.oauth.login(scene.server, { scopes: ["write"] });
    expect(requestedScopes(scene)).toEqual(["read", "read write"]);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
  });

  it("[A24] [T42] does not ask again for scopes that were requested and not granted", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "admin" });
    scene.authority.behave({ grantedScope: "read" });
    expect(await reach(scene.oauth, scene.server)).toBe(403);
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      httpStatus: 403,
      message: expect.stringContaining("more access than its authorization server grants (admin)"),
    });
    expect(requestedScopes(scene)).toEqual(["read", "read admin"]);
  });

  it("[A24] adds no scopes from a login for another resource or issuer", async () => {
    await using other = await startAuthorizationServer();
    const { signal } = new AbortController();
    for (const isMoved of [true, false]) {
      await using scene = await openScene({ guard: { scope: "read" } });
      await reach(scene.oauth, scene.server);
      const resource = `${new URL(scene.server.url).origin}/`;
      scene.guard(isMoved ? { authorizationServer: other } : { metadata: { resource } });
      const place = new URL("/.well-known/oauth-protected-resource/mcp", scene.server.url);
      const wwwAuthenticate = `Bearer error="insufficient_scope", scope="write", resource_metadata="${place}"`;
      await scene.oauth.onChallenge(scene.server, { status: 403, wwwAuthenticate }, { signal });
      const { requestsTo } = isMoved ? other : scene.authority;
      const pages = requestsTo.call(isMoved ? other : scene.authority, "/authorize");
      expect(pages.at(-1)?.parameters.scope).toBe("write");
    }
  });

  it("[A24] fails when unattended, and the advised command names all scopes", async () => {
    await using scene = await openScene({ guard: { scope: "read" }, isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    for (const scope of ["write", "read write"]) {
      scene.guard({ scope });
      await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        httpStatus: 403,
        message: expect.stringMatching(/jackfield login files --scope "read write"$/),
      });
    }
  });

  it("[A24] fails with the program's own login command in the advice", async () => {
    const loginCommand = (name: string) => `my-agent login ${name}`;
    await using scene = await openScene({
      guard: { scope: "read" },
      isUnattended: true,
      oauth: { loginCommand },
    });
    await expect(reach(scene.oauth, scene.server)).rejects.toThrow(/ Log in with: my-agent login files$/);
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    scene.guard({ scope: "write" });
    await expect(reach(scene.oauth, scene.server)).rejects.toThrow(
      / Log in with: my-agent login files --scope "read write"$/,
    );
  });

  it("fails without another page on a 403 that is not insufficient_scope", async () => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    const challenge = { status: 403, wwwAuthenticate: 'Bearer error="invalid_request"' } as const;
    const { signal } = new AbortController();
    expect(await scene.oauth.onChallenge(scene.server, challenge, { signal })).toBe("fail");
    expect(scene.pages).toHaveLength(1);
  });
});
