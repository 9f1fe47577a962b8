import { type AuthorizationBehavior, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import type { ShowAuthorizationPage } from "../src/index.ts";
import { reach } from "./request.ts";
import { openScene, type Scene, type SceneOptions, visit } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;
const DECLINED: AuthorizationBehavior = { callback: { code: null, error: "access_denied" } };
const inVain = {
  code: "MCP_AUTH_REQUIRED",
  message: expect.stringContaining("an earlier request for more was declined"),
};

/** A server whose login may do less than it wants now. */
async function openWanting(oauth: SceneOptions["oauth"] = {}): Promise<Scene> {
  const scene = await openScene({ guard: { scope: "read" }, oauth });
  await scene.oauth.login(scene.server, { authorize: (url) => visit(url, []) });
  await scene.oauth.headers(scene.server);
  scene.guard({ scope: "write" });
  return scene;
}

/** The same, and a person has declined. */
async function openDeclined(): Promise<Scene> {
  const scene = await openWanting();
  scene.authority.behave(DECLINED);
  await expect(reach(scene.oauth, scene.server)).rejects.toThrow("access_denied");
  scene.authority.behave({});
  return scene;
}

describe("a login that may do more and did not come about, though nobody declined it", () => {
  it.each<[string, AuthorizationBehavior]>([
    ["because tokens are not to be had", { tokens: () => ({ status: 503, body: {} }) }],
    ["because the code is refused", { tokens: () => ({ status: 400, body: { error: "invalid_grant" } }) }],
    ["because the other side is busy", { callback: { code: null, error: "temporarily_unavailable" } }],
    ["because the other side is broken", { callback: { code: null, error: "server_error" } }],
    [
      "because the other side is broken and says more of it",
      { callback: { code: null, error: "server_error", error_description: "The database is gone." } },
    ],
    [
      "because somebody else has answered",
      { callback: { code: null, error: "access_denied", iss: "https://evil.example" } },
    ],
  ])("is asked for again, %s", async (_, behavior) => {
    await using scene = await openWanting();
    scene.authority.behave(behavior);
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(2);
  });

  it.each<[string, ShowAuthorizationPage]>([
    ["because no page could be shown", () => Promise.reject(new Error("no browser"))],
    ["because nobody was there", async () => {}],
  ])("is asked for again, %s", async (_, absent) => {
    const pages: URL[] = [];
    let isThere = false;
    const authorize: ShowAuthorizationPage = (url, request) =>
      isThere ? visit(url, pages) : absent(url, request);
    await using scene = await openWanting({ authorize, callback: { timeoutMs: 200 } });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    isThere = true;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(pages).toHaveLength(1);
  });
});

describe("a login that may do more and was declined", () => {
  it("[T42] is asked for again after another process has logged out and in", async () => {
    await using scene = await openDeclined();
    const other = scene.again();
    scene.guard({ scope: "read" });
    await other.logout(scene.server);
    await other.login(scene.server);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(403); // with the token of the other's login
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("[T42] is not asked for again because the token was renewed", async () => {
    await using scene = await openDeclined();
    scene.clock.now += HOUR_MS;
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(inVain);
    expect(scene.authority.requestsTo("/token").at(-1)?.parameters.grant_type).toBe("refresh_token");
    expect(scene.pages).toHaveLength(1);
  });

  it("[T42] is not asked for again because another process has renewed the token", async () => {
    await using scene = await openDeclined();
    scene.clock.now += HOUR_MS;
    await scene.again().headers({ ...scene.server });
    expect(scene.authority.requestsTo("/token").at(-1)?.parameters.grant_type).toBe("refresh_token");
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(inVain);
    expect(scene.pages).toHaveLength(1);
  });

  it("[T42] is not asked for again because a login that was stored without a name was renewed here", async () => {
    await using scene = await openWanting();
    const stored = await scene.vault.forServer(scene.server.url);
    if (stored === undefined) throw new Error("there is a login");
    await scene.vault.write({ ...stored, loginId: undefined });
    scene.authority.behave(DECLINED);
    await expect(reach(scene.oauth, scene.server)).rejects.toThrow("access_denied");
    scene.authority.behave({});
    scene.clock.now += HOUR_MS;
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(inVain);
    expect(scene.pages).toHaveLength(1);
  });

  it("[T42] is asked for if it was the first login that was declined, and not one that may do more", async () => {
    await using scene = await openScene({ guard: { scope: "write" }, behavior: DECLINED });
    await expect(reach(scene.oauth, scene.server)).rejects.toThrow("access_denied");
    scene.authority.behave({});
    const wwwAuthenticate = 'Bearer error="insufficient_scope", scope="write"';
    const { signal } = new AbortController();
    const met = scene.oauth.onChallenge(scene.server, { status: 403, wwwAuthenticate }, signal);
    expect(await met).toBe("retry");
  });

  it("[T42] is asked for again after a logout, also where nobody had logged in, and no scope is named", async () => {
    await using scene = await openScene();
    const challenge = { status: 403, wwwAuthenticate: 'Bearer error="insufficient_scope"' } as const;
    const meet = () => scene.oauth.onChallenge(scene.server, challenge, new AbortController().signal);
    scene.guard({ isIssuer: true });
    scene.authority.behave(DECLINED);
    await expect(meet()).rejects.toThrow("access_denied");
    await expect(meet()).rejects.toMatchObject(inVain);
    expect(scene.pages).toHaveLength(1);
    await scene.oauth.logout(scene.server);
    scene.authority.behave({});
    expect(await meet()).toBe("retry");
  });
});
