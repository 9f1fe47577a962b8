import { McpError } from "@jackfield/mcp-core";
import { startAuthorizationServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMemoryVault, type TokenVault } from "../src/index.ts";
import { reach, remoteServer } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;

const bearerOf = (scene: Scene) =>
  scene.oauth.headers(scene.server).then(({ authorization }) => authorization);
const refreshes = ({ authority }: Scene) =>
  authority.requestsTo("/token").filter(({ parameters }) => parameters.grant_type === "refresh_token");

describe("a token", () => {
  it("is renewed within five minutes of its expiry, and not before", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    const first = await bearerOf(scene);
    scene.clock.now += HOUR_MS - 301_000;
    expect(await bearerOf(scene)).toBe(first);
    scene.clock.now += 2_000;
    const renewed = scene.nextWrite();
    expect(await bearerOf(scene)).toBe(first); // It is still valid for some minutes, so the request does not wait for the next one.
    await renewed;
    expect(await bearerOf(scene)).not.toBe(first);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(refreshes(scene)).toHaveLength(1);
  });

  it("with a lifetime of one minute is not renewed on every request", async () => {
    await using scene = await openScene({ behavior: { lifetimeS: 60 } });
    await scene.oauth.login(scene.server);
    const first = await bearerOf(scene);
    scene.clock.now += 47_000;
    expect(await bearerOf(scene)).toBe(first);
    scene.clock.now += 2_000;
    const renewed = scene.nextWrite();
    await bearerOf(scene);
    await renewed;
    expect(await bearerOf(scene)).not.toBe(first);
    expect(refreshes(scene)).toHaveLength(1);
  });

  it("[A25] is renewed once for concurrent requests, and once for concurrent refusals", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.clock.now += HOUR_MS;
    const asked = await Promise.all(Array.from({ length: 20 }, () => bearerOf(scene)));
    expect(new Set(asked).size).toBe(1);
    expect(refreshes(scene)).toHaveLength(1);
    const servers = Array.from({ length: 20 }, (_, index) =>
      remoteServer(scene.guarded.url, `copy-${index}`),
    );
    await Promise.all(servers.map((server) => scene.oauth.headers(server)));
    scene.authority.office.expireAccessTokens();
    const reached = await Promise.all(servers.map((server) => reach(scene.oauth, server)));
    expect(new Set(reached)).toEqual(new Set([200]));
    expect(refreshes(scene)).toHaveLength(2);
    expect(scene.authority.office.replays).toBe(0);
    expect(scene.pages).toHaveLength(1);
  });

  it("[A13] with an invalid refresh token is cleared, and the next challenge asks for a login", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.authority.office.endLogins();
    scene.clock.now += HOUR_MS;
    expect(await scene.oauth.headers(scene.server)).toEqual({});
    expect(await scene.vault.forServer(scene.server.url)).toBeUndefined();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(2);
    expect(refreshes(scene)).toHaveLength(1);
  });

  it("[A13] that is refused and cannot be renewed leads to a login in the same request", async () => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    scene.authority.office.endLogins();
    scene.clock.now += 60_000;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(2);
    expect(refreshes(scene)).toHaveLength(1);
  });

  it("[A14] is still sent during a token endpoint outage, and renewed afterwards", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    const first = await bearerOf(scene);
    scene.authority.behave({ tokens: () => ({ status: 503, body: "down" }) });
    scene.clock.now += HOUR_MS;
    expect(await bearerOf(scene)).toBe(first);
    expect(await bearerOf(scene)).toBe(first);
    expect(refreshes(scene)).toHaveLength(1);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.said).toMatchObject([
      { level: "warn", message: expect.stringContaining("could not be renewed") },
    ]);
    scene.authority.behave({});
    scene.clock.now += 31_000;
    expect(await bearerOf(scene)).not.toBe(first);
    expect(scene.pages).toHaveLength(1);
  });

  it("[A14] whose renewal fails is logged once for all concurrent requests", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.authority.behave({ tokens: () => ({ status: 503, body: "down" }) });
    scene.clock.now += HOUR_MS;
    await Promise.all(Array.from({ length: 20 }, () => bearerOf(scene)));
    expect(refreshes(scene)).toHaveLength(1);
    expect(scene.said).toHaveLength(1);
  });

  it("[A14] that is refused during a token endpoint outage is kept, without a new login", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    await bearerOf(scene);
    scene.authority.office.expireAccessTokens();
    scene.authority.behave({ tokens: () => ({ status: 503, body: "down" }) });
    for (const _ of [1, 2]) {
      const failure = { code: "MCP_CONNECT_FAILED", server: "files" };
      await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(failure);
    }
    expect(scene.said).toHaveLength(1);
    expect(await scene.vault.forServer(scene.server.url)).toBeDefined();
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(1);
  });

  it("[A15] keeps what the renewal response omits, through several renewals", async () => {
    await using scene = await openScene({ behavior: { refreshTokens: "keep" }, guard: { scope: "read" } });
    await scene.oauth.login(scene.server);
    const before = await scene.vault.forServer(scene.server.url);
    for (const _ of [1, 2, 3]) {
      scene.clock.now += HOUR_MS;
      await bearerOf(scene);
    }
    const after = await scene.vault.forServer(scene.server.url);
    const kept = ["issuer", "resource", "resourceIndicator", "client", "scopes", "serverUrl"] as const;
    for (const member of kept) expect(after?.[member]).toEqual(before?.[member]);
    expect(after?.tokens.refresh_token).toBe(before?.tokens.refresh_token);
    expect(refreshes(scene)).toHaveLength(3);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("[A15] keeps its refresh token if the renewal response has an empty one", async () => {
    await using scene = await openScene({ behavior: { refreshTokens: "keep" } });
    await scene.oauth.login(scene.server);
    const before = await scene.vault.forServer(scene.server.url);
    const body = { access_token: "next", token_type: "bearer", refresh_token: "", expires_in: 3_600 };
    scene.authority.behave({ tokens: () => ({ status: 200, body }) });
    scene.clock.now += HOUR_MS;
    expect(await bearerOf(scene)).toBe("Bearer next");
    const after = await scene.vault.forServer(scene.server.url);
    expect(after?.tokens.refresh_token).toBe(before?.tokens.refresh_token);
  });
});

describe("a stored login", () => {
  it("[A23] [T33] is sent to its own issuer only, and a new issuer gets its own login", async () => {
    await using other = await startAuthorizationServer();
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    const stored = await scene.vault.forServer(scene.server.url);
    scene.guard({ authorizationServer: other });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    const received = JSON.stringify(other.requests);
    expect(received).not.toContain(stored?.tokens.refresh_token);
    expect(received).not.toContain(stored?.tokens.access_token);
    expect(received).not.toContain(stored?.client.client_id);
    expect(other.requestsTo("/register")).toHaveLength(1);
    expect((await scene.vault.forServer(scene.server.url))?.issuer).toBe(other.issuer);
  });

  it("[A23] is not renewed if its issuer's metadata now names another issuer", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    const first = await bearerOf(scene);
    scene.authority.behave({ metadata: { issuer: "https://other.example" } });
    scene.clock.now += HOUR_MS;
    expect(await bearerOf(scene)).toBe(first);
    expect(refreshes(scene)).toEqual([]);
  });

  it("[T33] is not used for a server whose URL has changed", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    const moved = remoteServer(scene.guarded.url.replace("/mcp", "/other"));
    expect(await scene.oauth.headers(moved)).toEqual({});
    expect(await scene.oauth.headers(scene.server)).toHaveProperty("authorization");
  });

  it("[T33] is not used for an entry that names another client", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    const other = scene.again({ settingsOf: () => ({ settings: { clientId: "mine" } }) });
    expect(await other.headers(scene.server)).toEqual({});
  });

  it("is reused in a later run, and so is its registered client", async () => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    await scene.oauth.close();
    const later = scene.again();
    expect(await reach(later, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(1);
    await later.login(scene.server);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
  });

  it("that another process has renewed is taken over after a refusal", async () => {
    await using scene = await openScene({ isUnattended: true });
    const other = scene.again();
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    await other.headers(scene.server);
    scene.authority.office.expireAccessTokens();
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(await reach(other, scene.server)).toBe(200);
    expect(refreshes(scene)).toHaveLength(1);
  });
});

describe("a vault that cannot be written", () => {
  it("loses no renewed login in this process, and no refresh token is replayed", async () => {
    const memory = createMemoryVault();
    let isFull = false;
    const vault: TokenVault = {
      ...memory,
      write: async (credential) => {
        if (isFull) throw new Error("the disk is full");
        await memory.write(credential);
      },
    };
    await using scene = await openScene({ oauth: { vault } });
    await scene.oauth.login(scene.server);
    isFull = true;
    for (const round of [1, 2]) {
      scene.clock.now += HOUR_MS;
      expect(await reach(scene.oauth, scene.server)).toBe(200);
      scene.authority.office.expireAccessTokens();
      expect(await reach(scene.oauth, scene.server)).toBe(200);
      expect(refreshes(scene)).toHaveLength(2 * round);
    }
    expect(scene.authority.office.replays).toBe(0);
    expect(scene.pages).toHaveLength(1);
    expect(scene.said.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("could not be stored"),
    );
  });

  it("fails a new login", async () => {
    const vault: TokenVault = {
      ...createMemoryVault(),
      write: async () => {
        throw new McpError("MCP_STORAGE_FAILED", "The disk is full.");
      },
    };
    await using scene = await openScene({ oauth: { vault } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ message: "The disk is full." });
  });
});
