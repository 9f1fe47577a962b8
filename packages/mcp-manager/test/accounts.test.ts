import {
  type AuthPort,
  type CatalogEntry,
  McpError,
  type ResolveServer,
  type ServerDefinition,
} from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  httpDefinition,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, only, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (httpStatus: number) =>
  new McpError("MCP_AUTH_REQUIRED", "it refused the credentials", { server: "a", httpStatus });

/** Runs a program with this catalog until it is closed; its server lists `tools`. */
async function run(
  cache: ReturnType<typeof createFakeToolCache>,
  definition: ServerDefinition,
  options: Parameters<typeof createFixture>[1] = {},
) {
  const { manager } = createFixture([definition], { cache, ...options });
  await manager.start();
  await vi.advanceTimersByTimeAsync(0);
  await manager.close();
}

describe("an account at the address of another", () => {
  const cases: readonly [what: string, ann: object, bob: object][] = [
    ["another login", { auth: authAs("login-ann") }, { auth: authAs("login-bob") }],
    ["no login", { auth: authAs("login-ann") }, { auth: authAs(undefined) }],
    ["another token of a port that names no account", { auth: tokenOf("ann") }, { auth: tokenOf("bob") }],
    ["another principal", { principal: "ann" }, { principal: "bob" }],
  ];

  it.each(cases)("is offered nothing of it: %s", async (_what, ann, bob) => {
    const cache = createFakeToolCache();
    await run(cache, httpDefinition("a"), { tools: [tool("of_ann")], ...ann });
    const { manager } = createFixture([httpDefinition("a")], { cache, byHand: true, ...bob });
    const starting = manager.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.tools()).toEqual([]);
    expect(manager.servers()).toMatchObject([{ toolsFrom: "none" }]);
    await manager.close();
    await starting.catch(() => undefined);
  });

  it("is offered what it had if a login or a principal says that it is the same", async () => {
    for (const options of [
      { auth: authAs("login") },
      { principal: "ann", auth: tokenOf(crypto.randomUUID()) },
    ]) {
      const cache = createFakeToolCache();
      await run(cache, httpDefinition("a"), { tools: [tool("own")], ...options });
      const { manager } = createFixture([httpDefinition("a")], { cache, byHand: true, ...options });
      await manager.start();
      expect(manager.tools()).toMatchObject([{ originalName: "own" }]);
      await manager.close();
    }
  });

  it.each([
    ["a header", { headers: { authorization: "Bearer own" } }],
    ["its address", { url: "https://user:password@a.example/mcp" }],
  ])("is that of the entry, whoever is logged in, if credentials stand in %s", async (_where, own) => {
    const cache = createFakeToolCache();
    const entry = httpDefinition("a", own);
    await run(cache, entry, { tools: [tool("own")], auth: authAs("login-ann") });
    const { manager } = createFixture([entry], { cache, byHand: true, auth: authAs("login-bob") });
    await manager.start();
    expect(manager.tools()).toMatchObject([{ originalName: "own" }]);
    await manager.close();
  });

  it("has its list stored for itself if the login changes while the server is up", async () => {
    const cache = createFakeToolCache();
    let login: string | undefined;
    const auth = { ...authAs(undefined), account: async () => login };
    const { manager, sessions } = createFixture([httpDefinition("a")], {
      cache,
      auth,
      tools: [tool("public")],
    });
    await manager.start();
    await vi.advanceTimersByTimeAsync(0);
    login = "ann";
    only(sessions.values()).setTools([tool("of_ann")]);
    await manager.refreshTools("a");
    await vi.advanceTimersByTimeAsync(0);
    const stored = [...cache.entries.values()].map(({ tools }) => tools?.map(({ name }) => name));
    expect(stored).toEqual([["public"], ["of_ann"]]);
    await manager.close();
  });
});

describe("a server that refuses its credentials", () => {
  it.each([401, 403])(
    "offers nothing from the catalog any more, in this run and later ones: %d",
    async (status) => {
      const cache = createFakeToolCache();
      await run(cache, httpDefinition("a"), { tools: [tool("remembered")] });
      const entry = only(cache.entries.values());
      cache.entries.set(only(cache.entries.keys()), { ...entry, instructions: "Mailbox of Ann" });
      const { manager, connector } = createFixture([httpDefinition("a")], { cache, byHand: true });
      const changes: unknown[] = [];
      manager.on("toolsChanged", ({ removed }) => changes.push(...removed));
      await manager.start();
      expect(manager.tools()).toHaveLength(1);
      (await connector.nextAttempt()).fail(refusal(status));
      await vi.advanceTimersByTimeAsync(0);
      expect(manager.tools()).toEqual([]);
      expect(changes).toEqual(["mcp__a__remembered"]);
      expect(manager.servers()).toMatchObject([{ toolsFrom: "none", tools: 0, instructions: undefined }]);
      const stored = (): CatalogEntry => only(cache.entries.values());
      expect(stored()).toMatchObject({ lastOutcome: { ok: false, code: "MCP_AUTH_REQUIRED" } });
      expect(stored().tools).toBeUndefined();
      await manager.close();
    },
  );

  it("leaves nothing in the catalog though its list was still being stored", async () => {
    const cache = createFakeToolCache();
    const { set } = cache;
    cache.set = async (...entry) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await set(...entry);
    };
    const { manager, connector } = createFixture([httpDefinition("a")], { cache, byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("remembered")] }));
    await starting;
    expect(manager.tools()).toHaveLength(1);
    const reconnecting = manager.reconnect("a").catch(() => undefined);
    (await connector.nextAttempt()).fail(refusal(401));
    await reconnecting;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([...cache.entries.values()].flatMap(({ tools }) => tools ?? [])).toEqual([]);
    await manager.close();
  });

  it("is listed anew once it accepts them", async () => {
    const cache = createFakeToolCache();
    await run(cache, httpDefinition("a"), { tools: [tool("remembered")] });
    const { manager, connector } = createFixture([httpDefinition("a")], { cache, byHand: true });
    await manager.start();
    (await connector.nextAttempt()).fail(refusal(401));
    await vi.advanceTimersByTimeAsync(0);
    const reconnecting = manager.reconnect("a");
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("new")] }));
    await reconnecting;
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.tools()).toMatchObject([{ originalName: "new" }]);
    expect(only(cache.entries.values()).tools).toMatchObject([{ name: "new" }]);
    await manager.close();
  });
});

describe("a server whose values take long, or fail at first", () => {
  /** Each resolution takes two seconds. */
  const slowly: ResolveServer = async (...given) => {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return passThroughResolver(...given);
  };

  it("is stored, and offers its tools from the catalog the next time, before it is up", async () => {
    const cache = createFakeToolCache();
    const first = createFixture(["a"], { cache, resolve: slowly, tools: [tool("slow")] });
    const starting = first.manager.start();
    await vi.advanceTimersByTimeAsync(10_000);
    await starting;
    const closing = first.manager.close();
    await vi.advanceTimersByTimeAsync(10_000);
    await closing;
    expect(only(cache.entries.values()).tools).toHaveLength(1);

    const next = createFixture(["a"], { cache, resolve: slowly, byHand: true });
    const startingAgain = next.manager.start();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(next.manager.tools()).toMatchObject([{ originalName: "slow", origin: "cache" }]);
    const closingAgain = next.manager.close();
    await vi.advanceTimersByTimeAsync(10_000);
    await closingAgain;
    await startingAgain.catch(() => undefined);
  });

  it("ends the wait of a start as soon as its fresh entry is known", async () => {
    const cache = createFakeToolCache();
    const resolved = await passThroughResolver(stdioDefinition("a"), { signal: AbortSignal.timeout(1) });
    cache.seed(resolved, { tools: [tool("slow")] });
    const { manager } = createFixture(["a"], { cache, resolve: slowly, byHand: true });
    let isStarted = false;
    const starting = manager.start().then(() => {
      isStarted = true;
    });
    await vi.advanceTimersByTimeAsync(1_900);
    expect(isStarted).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    await starting;
    expect(manager.servers()).toMatchObject([{ toolsFrom: "cache" }]);
    const closing = manager.close();
    await vi.advanceTimersByTimeAsync(10_000);
    await closing;
  });

  it("is stored if its values could not be filled in when the catalog was read", async () => {
    const cache = createFakeToolCache();
    let failures = 1;
    const resolve: ResolveServer = async (...given) => {
      failures -= 1;
      if (failures >= 0) throw new McpError("MCP_CONFIG_VARIABLE_MISSING", "the keychain is locked");
      return passThroughResolver(...given);
    };
    await run(cache, stdioDefinition("a"), { resolve, tools: [tool("late")] });
    expect(only(cache.entries.values()).tools).toMatchObject([{ name: "late" }]);
  });
});

function authAs(account: string | undefined): AuthPort {
  return { headers: async () => ({}), account: async () => account, onChallenge: async () => "fail" };
}

function tokenOf(user: string): AuthPort {
  return { headers: async () => ({ authorization: `Bearer ${user}` }), onChallenge: async () => "fail" };
}
