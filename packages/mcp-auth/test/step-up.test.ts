import { type AuthorizationBehavior, startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

const scopesAsked = (scene: Awaited<ReturnType<typeof openScene>>) =>
  scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.scope);

describe("a request that needs more than the login may do", () => {
  it("[A24] asks once more, for what was granted and what is wanted together", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scopesAsked(scene)).toEqual(["read", "read write"]);
    expect((await scene.vault.forServer(scene.server.url))?.scopes).toEqual(["read", "write"]);
  });

  it("[A24] is made by a client that is registered for all of it: who was registered for less may be held to that", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "write" });
    await reach(scene.oauth, scene.server);
    await scene.oauth.login(scene.server);
    const registered = scene.authority.requestsTo("/register").map(({ body }) => body?.scope);
    expect(registered).toEqual(["read", "read write"]);
  });

  it("[A24] [T42] asks once only if that is refused, until there is another login, and a login by hand asks all the same", async () => {
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
    expect(scopesAsked(scene)).toEqual(["read", "read write"]);
    scene.authority.behave({});
    scene.guard({ scope: "read" });
    await scene.oauth.login(scene.server);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scopesAsked(scene)).toEqual(["read", "read write", "read", "read write"]);
    scene.authority.behave(refusing);
    scene.guard({ scope: "admin" });
    const login = () => scene.oauth.login(scene.server, { scopes: ["admin"] });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    await expect(login()).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    scene.authority.behave({});
    await login();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("[A24] asks again after a login that could not be begun", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "write" });
    scene.authority.behave({ metadata: { issuer: "https://other.example" } });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it.each<[string, AuthorizationBehavior]>([
    ["registration is refused", { registration: { status: 403, body: { error: "no" } } }],
    ["too many have registered", { registration: { status: 429, body: { error: "slow_down" } } }],
    ["registration is down", { registration: { status: 503, body: "down" } }],
    ["registration answers with a page", { registration: { status: 200, body: "<html>Sign in</html>" } }],
    [
      "registration gives an empty id",
      { registration: { status: 201, body: { client_id: "", redirect_uris: [] } } },
    ],
    ["registration gives nothing", { registration: { status: 201, body: {} } }],
    ["nobody is registered any more", { metadata: { registration_endpoint: null } }],
  ])("[A24] is made by the old client where %s: it may be let ask for more", async (_, behavior) => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "write" });
    scene.authority.behave(behavior);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const clients = scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.client_id);
    expect(new Set(clients).size).toBe(1);
  });

  it("[A24] registers nobody anew for what a login was granted beyond its registration", async () => {
    await using scene = await openScene({
      guard: { scope: "read" },
      behavior: { grantedScope: "read write" },
    });
    await reach(scene.oauth, scene.server);
    await scene.oauth.login(scene.server, { scopes: ["write"] });
    expect(scopesAsked(scene)).toEqual(["read", "read write"]);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
  });

  it("[A24] [T42] does not ask again for what was asked for and not granted", async () => {
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
    expect(scopesAsked(scene)).toEqual(["read", "read admin"]);
  });

  it("[A24] takes nothing over from a login for another resource, or of another issuer", async () => {
    await using other = await startAuthorizationServer();
    const { signal } = new AbortController();
    for (const isMoved of [true, false]) {
      await using scene = await openScene({ guard: { scope: "read" } });
      await reach(scene.oauth, scene.server);
      const resource = `${new URL(scene.server.url).origin}/`;
      scene.guard(isMoved ? { authorizationServer: other } : { metadata: { resource } });
      const place = new URL("/.well-known/oauth-protected-resource/mcp", scene.server.url);
      const wwwAuthenticate = `Bearer error="insufficient_scope", scope="write", resource_metadata="${place}"`;
      await scene.oauth.onChallenge(scene.server, { status: 403, wwwAuthenticate }, signal);
      const { requestsTo } = isMoved ? other : scene.authority;
      const pages = requestsTo.call(isMoved ? other : scene.authority, "/authorize");
      expect(pages.at(-1)?.parameters.scope).toBe("write");
    }
  });

  it("[A24] fails where nobody can be asked, and the command it names asks for both as well", async () => {
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

  it("[A24] names the command that the program has for logins", async () => {
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

  it("is refused for good by a 403 that names no missing scope", async () => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    const challenge = { status: 403, wwwAuthenticate: 'Bearer error="invalid_request"' } as const;
    const { signal } = new AbortController();
    expect(await scene.oauth.onChallenge(scene.server, challenge, signal)).toBe("fail");
    expect(scene.pages).toHaveLength(1);
  });
});
