import type { OAuthSettings } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMemoryVault, type EntrySettings, type TokenVault } from "../src/index.ts";
import { reach, remoteServer } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

/** A server that one entry has logged in to, and a second entry with the same URL and its own settings. */
async function openTwoEntries(first: OAuthSettings, settingsOfSecond: () => EntrySettings) {
  const scene = await openScene({
    oauth: {
      settingsOf: ({ name }) => (name === "second" ? settingsOfSecond() : { settings: first }),
    },
  });
  await scene.oauth.login(scene.server);
  return {
    scene,
    second: remoteServer(scene.guarded.url, "second"),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

describe("a logout", () => {
  it.each<[string, OAuthSettings, OAuthSettings]>([
    ["of an entry that names another client", {}, { clientId: "other" }],
    ["of an entry without a client, when the login names one,", { clientId: "fixed" }, {}],
    [
      "of an entry with invalid settings that names another client",
      {},
      { clientId: "other", redirectUri: "x" },
    ],
  ])("%s keeps the login", async (_, first, settings) => {
    await using entries = await openTwoEntries(first, () => ({ settings }));
    const { scene, second } = entries;
    const headers = await scene.oauth.headers(scene.server);
    expect(await scene.oauth.logout(second)).toBe(false);
    expect(await scene.oauth.headers(scene.server)).toEqual(headers);
    expect(headers).toHaveProperty("authorization");
    expect(await scene.oauth.logout(scene.server)).toBe(true);
    expect(await scene.oauth.headers(scene.server)).toEqual({});
  });

  it.each<[string, () => EntrySettings]>([
    ["turns OAuth off with false", () => ({ settings: false })],
    ["turns OAuth off with enabled: false", () => ({ settings: { enabled: false, clientId: "x" } })],
    [
      "has unreadable settings",
      () => {
        throw new Error("a variable is not set");
      },
    ],
  ])("of an entry that %s deletes any login for its URL", async (_, settingsOfSecond) => {
    for (const first of [{}, { clientId: "fixed" }]) {
      await using entries = await openTwoEntries(first, settingsOfSecond);
      const { scene, second } = entries;
      expect(await scene.oauth.logout(second)).toBe(true);
      expect(await scene.oauth.headers(scene.server)).toEqual({});
      expect(await scene.vault.list()).toEqual([]);
      expect(await scene.oauth.logout(second)).toBe(false);
    }
  });

  it("of an entry with an invalid redirectUri deletes the login of its client", async () => {
    await using entries = await openTwoEntries({}, () => ({
      settings: { redirectUri: "https://elsewhere.example" },
    }));
    const { scene, second } = entries;
    expect(await scene.oauth.logout(second)).toBe(true);
    expect(await scene.vault.list()).toEqual([]);
  });

  it("in another process is seen with the next request, at most five seconds later", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    const other = scene.again();
    const [own, others] = [await scene.oauth.headers(scene.server), await other.headers(scene.server)];
    expect([own, others]).toEqual([others, { authorization: expect.any(String) }]);
    await scene.oauth.logout(scene.server);
    expect(await scene.oauth.headers(scene.server)).toEqual({});
    scene.clock.now += 5_000;
    await expect(reach(other, scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(await other.headers(scene.server)).toEqual({});
  });

  it("and a login as somebody else in another process count from then on", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    const other = scene.again();
    await other.headers(scene.server);
    await scene.oauth.logout(scene.server);
    await scene.oauth.login(scene.server);
    scene.clock.now += 5_000;
    expect(await other.headers(scene.server)).toEqual(await scene.oauth.headers(scene.server));
  });

  it("is not what a vault that cannot be read means: the login goes on", async () => {
    const isAway = { now: false };
    const kept = createMemoryVault();
    const vault: TokenVault = {
      ...kept,
      forServer: async (...args) => {
        if (isAway.now) throw new Error("The store is away.");
        return kept.forServer(...args);
      },
    };
    await using scene = await openScene({ oauth: { vault } });
    await scene.oauth.login(scene.server);
    const headers = await scene.oauth.headers(scene.server);
    isAway.now = true;
    scene.clock.now += 5_000;
    expect([await scene.oauth.headers(scene.server), scene.said]).toEqual([headers, []]);
  });

  it("of a local server is an error", async () => {
    await using scene = await openScene();
    const local = {
      name: "local",
      transport: "stdio",
      command: "x",
      args: [],
      env: {},
      secrets: [],
    } as const;
    await expect(scene.oauth.logout(local)).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
  });
});
