import { type AuthorizationBehavior, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import type { ShowAuthorizationPage } from "../src/index.ts";
import { reach } from "./request.ts";
import { openScene, type Scene, type SceneOptions, visit } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;
const DECLINED: AuthorizationBehavior = { callback: { code: null, error: "access_denied" } };
const alreadyDeclined = {
  code: "MCP_AUTH_REQUIRED",
  message: expect.stringContaining("an earlier request for more was declined"),
};

/** A server that now requires more scopes than its login has. */
async function openWithMissingScope(oauth: SceneOptions["oauth"] = {}): Promise<Scene> {
  const scene = await openScene({ guard: { scope: "read" }, oauth });
  await scene.oauth.login(scene.server, { authorize: (url) => visit(url, []) });
  await scene.oauth.headers(scene.server);
  scene.guard({ scope: "write" });
  return scene;
}

/** The same, after the user has declined the step-up. */
async function openDeclined(): Promise<Scene> {
  const scene = await openWithMissingScope();
  scene.authority.behave(DECLINED);
  await expect(reach(scene.oauth, scene.server)).rejects.toThrow("access_denied");
  scene.authority.behave({});
  return scene;
}

describe("a step-up that failed without being declined", () => {
  it.each<[string, AuthorizationBehavior]>([
    ["after the token endpoint answered 503", { tokens: () => ({ status: 503, body: {} }) }],
    ["after the code was refused", { tokens: () => ({ status: 400, body: { error: "invalid_grant" } }) }],
    [
      "after temporarily_unavailable in the callback",
      { callback: { code: null, error: "temporarily_unavailable" } },
    ],
    ["after server_error in the callback", { callback: { code: null, error: "server_error" } }],
    [
      "after server_error with a description in the callback",
      { callback: { code: null, error: "server_error", error_description: "The database is gone." } },
    ],
    [
      "after access_denied from another issuer",
      { callback: { code: null, error: "access_denied", iss: "https://evil.example" } },
    ],
  ])("is tried again %s", async (_, behavior) => {
    await using scene = await openWithMissingScope();
    scene.authority.behave(behavior);
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(2);
  });

  it.each<[string, ShowAuthorizationPage]>([
    ["after no page could be shown", () => Promise.reject(new Error("no browser"))],
    ["after the wait for the callback timed out", async () => {}],
  ])("is tried again %s", async (_, absent) => {
    const pages: URL[] = [];
    let isThere = false;
    const authorize: ShowAuthorizationPage = (url, request) =>
      isThere ? visit(url, pages) : absent(url, request);
    await using scene = await openWithMissingScope({ authorize, callback: { timeoutMs: 200 } });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    isThere = true;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(pages).toHaveLength(1);
  });
});

describe("a declined step-up", () => {
  it("[T42] is tried again after another process has logged out and in", async () => {
    await using scene = await openDeclined();
    const other = scene.again();
    scene.guard({ scope: "read" });
    await other.logout(scene.server);
    await other.login(scene.server);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(403); // with the token of the other's login
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("[T42] is not tried again after a renewal", async () => {
    await using scene = await openDeclined();
    scene.clock.now += HOUR_MS;
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(alreadyDeclined);
    expect(scene.authority.requestsTo("/token").at(-1)?.parameters.grant_type).toBe("refresh_token");
    expect(scene.pages).toHaveLength(1);
  });

  it("[T42] is not tried again after a renewal by another process", async () => {
    await using scene = await openDeclined();
    scene.clock.now += HOUR_MS;
    await scene.again().headers({ ...scene.server });
    expect(scene.authority.requestsTo("/token").at(-1)?.parameters.grant_type).toBe("refresh_token");
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(alreadyDeclined);
    expect(scene.pages).toHaveLength(1);
  });

  it("[T42] is not tried again after the renewal of a login stored without a loginId", async () => {
    await using scene = await openWithMissingScope();
    const stored = await scene.vault.forServer(scene.server.url);
    if (stored === undefined) throw new Error("there is a login");
    await scene.vault.write({ ...stored, loginId: undefined });
    scene.authority.behave(DECLINED);
    await expect(reach(scene.oauth, scene.server)).rejects.toThrow("access_denied");
    scene.authority.behave({});
    scene.clock.now += HOUR_MS;
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(alreadyDeclined);
    expect(scene.pages).toHaveLength(1);
  });

  it("[T42] is not assumed if only the first login was declined", async () => {
    await using scene = await openScene({ guard: { scope: "write" }, behavior: DECLINED });
    await expect(reach(scene.oauth, scene.server)).rejects.toThrow("access_denied");
    scene.authority.behave({});
    const wwwAuthenticate = 'Bearer error="insufficient_scope", scope="write"';
    const { signal } = new AbortController();
    const met = scene.oauth.onChallenge(scene.server, { status: 403, wwwAuthenticate }, { signal });
    expect(await met).toBe("retry");
  });

  it("[T42] is tried again after a logout, even without a login or a named scope", async () => {
    await using scene = await openScene();
    const challenge = { status: 403, wwwAuthenticate: 'Bearer error="insufficient_scope"' } as const;
    const meet = () =>
      scene.oauth.onChallenge(scene.server, challenge, { signal: new AbortController().signal });
    scene.guard({ isIssuer: true });
    scene.authority.behave(DECLINED);
    await expect(meet()).rejects.toThrow("access_denied");
    await expect(meet()).rejects.toMatchObject(alreadyDeclined);
    expect(scene.pages).toHaveLength(1);
    await scene.oauth.logout(scene.server);
    scene.authority.behave({});
    expect(await meet()).toBe("retry");
  });
});
