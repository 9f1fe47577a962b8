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
  it("is renewed when it is within five minutes of its end, and not before", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    const first = await bearerOf(scene);
    scene.clock.now += HOUR_MS - 301_000;
    expect(await bearerOf(scene)).toBe(first);
    scene.clock.now += 2_000;
    const renewed = scene.nextWrite();
    expect(await bearerOf(scene)).toBe(first); // It is good for some minutes yet, so nobody waits for the next one.
    await renewed;
    expect(await bearerOf(scene)).not.toBe(first);
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(refreshes(scene)).toHaveLength(1);
  });

  it("that lives a minute only is not renewed at every request", async () => {
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

  it("[A25] is renewed once for all who ask at the same time, and once for all whose requests were refused", async () => {
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

  it("[A13] whose refresh token is worth nothing any more is cleared, and the next challenge asks for a login", async () => {
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

  it("[A13] that is refused and cannot be renewed is cleared, and a person is asked in the same request", async () => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    scene.authority.office.endLogins();
    scene.clock.now += 60_000;
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(2);
    expect(refreshes(scene)).toHaveLength(1);
  });

  it("[A14] is kept and sent if a renewal fails for the moment, and renewed when that works again", async () => {
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

  it("[A14] that cannot be renewed just now is told of once, however many wait for it", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.authority.behave({ tokens: () => ({ status: 503, body: "down" }) });
    scene.clock.now += HOUR_MS;
    await Promise.all(Array.from({ length: 20 }, () => bearerOf(scene)));
    expect(refreshes(scene)).toHaveLength(1);
    expect(scene.said).toHaveLength(1);
  });

  it("[A14] is kept if it was refused and its renewal fails for the moment; nobody is asked to log in for that", async () => {
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

  it("[A15] keeps what a renewal does not mention, so that the next renewal works as well", async () => {
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

  it("[A15] keeps the old refresh token also where an empty one is answered", async () => {
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

  it("[A21] is not replaced by an answer of status 200 that has no token", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    const first = await bearerOf(scene);
    scene.authority.behave({ tokens: () => ({ status: 200, body: { expires_in: 3_600 } }) });
    scene.clock.now += HOUR_MS;
    expect(await bearerOf(scene)).toBe(first);
    expect((await scene.vault.forServer(scene.server.url))?.tokens.refresh_token).toBeDefined();
  });
});

describe("a credential", () => {
  it("[A23] [T33] goes to its own issuer only: after a move to another one, that one gets a login of its own", async () => {
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

  it("[A23] is not renewed at an issuer whose metadata suddenly names another one", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    const first = await bearerOf(scene);
    scene.authority.behave({ metadata: { issuer: "https://other.example" } });
    scene.clock.now += HOUR_MS;
    expect(await bearerOf(scene)).toBe(first);
    expect(refreshes(scene)).toEqual([]);
  });

  it("[T33] belongs to the URL: a server whose URL has changed gets nothing of the old one's", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    const moved = remoteServer(scene.guarded.url.replace("/mcp", "/other"));
    expect(await scene.oauth.headers(moved)).toEqual({});
    expect(await scene.oauth.headers(scene.server)).toHaveProperty("authorization");
  });

  it("[T33] belongs to the client: an entry that names another one logs in anew", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    const other = scene.again({ settingsOf: () => ({ settings: { clientId: "mine" } }) });
    expect(await other.headers(scene.server)).toEqual({});
  });

  it("of a later run is used without asking anybody, and the client that was registered is used again", async () => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    await scene.oauth.close();
    const later = scene.again();
    expect(await reach(later, scene.server)).toBe(200);
    expect(scene.pages).toHaveLength(1);
    await later.login(scene.server);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
  });

  it("that another process has renewed meanwhile is taken over after a refusal, without a renewal or a login", async () => {
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

describe("a vault that fails", () => {
  it("does not lose a renewed login: it holds for this process, and the spent refresh token is not presented again", async () => {
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

  it("makes a login fail that cannot be kept", async () => {
    const vault: TokenVault = {
      ...createMemoryVault(),
      write: async () => {
        throw new McpError("MCP_CONFIG_INVALID", "The disk is full.");
      },
    };
    await using scene = await openScene({ oauth: { vault } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ message: "The disk is full." });
  });
});
