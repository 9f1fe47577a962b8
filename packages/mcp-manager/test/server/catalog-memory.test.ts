import {
  type CatalogEntry,
  type CatalogId,
  type CatalogIdentity,
  type CatalogKind,
  McpError,
} from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CatalogMemory, type StorableRecord } from "../../src/server/catalog-memory.ts";
import { NOTHING_KNOWN } from "../../src/server/catalog-record.ts";
import {
  contextFixture,
  contextSession,
  LOG,
  openedFixture,
  README,
  REVIEW,
} from "../context/context-fixture.ts";
import { createFixture, only, tool } from "../manager-fixture.ts";

const CHANGED = { method: "notifications/tools/list_changed" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A manager whose one server is up, what its catalog holds, and how often that was marked stale. */
async function started() {
  const cache = createFakeToolCache();
  const marked: string[] = [];
  const { markStale } = cache;
  cache.markStale = async (id) => {
    marked.push(id);
    await markStale(id);
  };
  const fixture = createFixture(["a"], { cache });
  await fixture.manager.start();
  const session = only(fixture.sessions.values());
  const stored = (): CatalogEntry => only(cache.entries.values());
  return { ...fixture, cache, session, marked, stored };
}

describe("the catalog entry of a server", () => {
  it("gets the other lists only once the tools, which failed at first, are listed", async () => {
    const cache = createFakeToolCache();
    const failing = new Map<CatalogKind, McpError>();
    failing.set("tools", new McpError("MCP_REQUEST_REJECTED", "warming up"));
    const { manager } = await openedFixture({ cache }, contextSession({ failing }));
    expect(await manager.resources()).toHaveLength(2);
    expect(await manager.prompts()).toHaveLength(1);
    const stored = () => only(cache.entries.values());
    expect(stored()).not.toHaveProperty("resources"); // Not without the tools.
    failing.clear();
    await manager.refreshTools("s");
    await vi.advanceTimersByTimeAsync(0);
    expect(stored()).toMatchObject({ tools: [], resources: [README, LOG], prompts: [REVIEW] });
    await manager.close();
  });

  it("gets the other lists with the tools of a later session if the first listed none", async () => {
    const cache = createFakeToolCache();
    const failing = new Map<CatalogKind, McpError>();
    failing.set("tools", new McpError("MCP_REQUEST_REJECTED", "warming up"));
    const { manager, session, open } = await openedFixture({ cache }, contextSession({ failing }));
    expect(await manager.prompts()).toHaveLength(1);
    session.lose(new McpError("MCP_SESSION_LOST", "gone"));
    const reconnecting = manager.reconnect("s");
    expect(only(cache.entries.values())).not.toHaveProperty("prompts");
    await open();
    await reconnecting;
    await manager.refreshTools("s");
    await vi.advanceTimersByTimeAsync(0);
    expect(only(cache.entries.values())).toMatchObject({ tools: [], prompts: [REVIEW] });
    await manager.close();
  });

  it("keeps its tools and gets the other lists of a server connected before start()", async () => {
    const cache = createFakeToolCache();
    const resolved = await passThroughResolver(stdioDefinition("s"), { signal: AbortSignal.timeout(1) });
    cache.seed(resolved, { tools: [tool("remembered")] });
    const failing = new Map<CatalogKind, McpError>();
    failing.set("tools", new McpError("MCP_REQUEST_REJECTED", "warming up"));
    const { manager, open } = contextFixture({ cache });
    const asking = manager.prompts("s");
    await open(contextSession({ failing }));
    await asking;
    await manager.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(only(cache.entries.values())).toMatchObject({
      tools: [{ name: "remembered" }],
      prompts: [REVIEW],
    });
    await manager.close();
  });

  it("is not written for an aborted attempt", async () => {
    const cache = createFakeToolCache();
    const { manager, connector } = createFixture(["a"], { cache, byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(new McpError("MCP_ABORTED", "given up"));
    await starting;
    await vi.advanceTimersByTimeAsync(0);
    expect(cache.entries.size).toBe(0);
    await manager.close();
  });

  it("dates the list by its request, not by its answer", async () => {
    const { manager, session, stored } = await started();
    const release = session.holdLists();
    const beganAt = Date.now();
    const refreshing = manager.refreshTools("a");
    await vi.advanceTimersByTimeAsync(5_000);
    release();
    await refreshing;
    expect(stored()).toMatchObject({ listedAt: beganAt, lastOutcome: { ok: true, at: beganAt + 5_000 } });
    await manager.close();
  });

  it("records the time from connecting to the first list; later lists do not change it", async () => {
    const cache = createFakeToolCache();
    const { manager, connector } = createFixture(["a"], { cache, byHand: true });
    const starting = manager.start();
    const attempt = await connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(4_000);
    const session = createFakeSession({ tools: [tool("echo")] });
    const release = session.holdLists();
    attempt.open(session);
    await vi.advanceTimersByTimeAsync(500);
    release();
    await starting;
    const tookMs = () => only(cache.entries.values()).lastOutcome?.tookMs;
    expect(tookMs()).toBe(4_500);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await manager.refreshTools("a");
    await vi.advanceTimersByTimeAsync(0);
    expect(only(cache.entries.values()).lastOutcome).toMatchObject({
      ok: true,
      tookMs: 4_500,
      at: Date.now(),
    });
    await manager.close();
  });

  it("records the time to the first failure; a later list does not change it", async () => {
    const cache = createFakeToolCache();
    const failing = new Map([["tools" as const, new McpError("MCP_REQUEST_REJECTED", "warming up")]]);
    const { manager, session, open } = await openedFixture({ cache }, contextSession({ failing }));
    await vi.advanceTimersByTimeAsync(3_600_000);
    void manager.refreshTools("s").catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    const outcome = () => only(cache.entries.values()).lastOutcome;
    expect(outcome()).toMatchObject({ ok: false, tookMs: 0, at: Date.now() });
    failing.clear();
    await manager.refreshTools("s");
    await vi.advanceTimersByTimeAsync(0);
    expect(outcome()).toMatchObject({ ok: true, tookMs: 0, at: Date.now() });
    session.lose(new McpError("MCP_SESSION_LOST", "gone"));
    const reconnecting = manager.reconnect("s");
    await vi.advanceTimersByTimeAsync(4_000);
    await open();
    await reconnecting;
    await vi.advanceTimersByTimeAsync(0);
    expect(outcome()).toMatchObject({ ok: true, tookMs: 4_000 });
    await manager.close();
  });

  it("is stale from list_changed until the new list arrives", async () => {
    const { manager, session, marked, stored } = await started();
    expect(stored().stale).toBeUndefined();
    const release = session.holdLists();
    session.setTools([tool("other")]);
    for (let change = 0; change < 100; change += 1) session.notify(CHANGED);
    await vi.advanceTimersByTimeAsync(0);
    expect(marked).toHaveLength(1);
    expect(stored()).toMatchObject({ stale: true, tools: [{ name: "echo" }] });
    await vi.advanceTimersByTimeAsync(1_000);
    release();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stored()).toMatchObject({ stale: undefined, tools: [{ name: "other" }] });
    await manager.close();
  });

  it("stays stale if the manager closes before the new list, so the next start waits at the gate", async () => {
    const { manager, session, cache } = await started();
    session.holdLists();
    session.notify(CHANGED);
    await vi.advanceTimersByTimeAsync(0);
    await manager.close();
    const next = createFixture(["a"], { cache, byHand: true });
    const starting = next.manager.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(next.manager.servers()).toMatchObject([{ toolsFrom: "stale" }]);
    await vi.advanceTimersByTimeAsync(250);
    expect((await starting).cached).toMatchObject([{ name: "a" }]);
    await next.manager.close();
  });

  it("that cannot be marked stale is logged, and the server is listed all the same", async () => {
    const cache = createFakeToolCache();
    const resolved = await passThroughResolver(stdioDefinition("a"), { signal: AbortSignal.timeout(1) });
    cache.seed(resolved, { tools: [tool("remembered")] });
    cache.markStale = () => Promise.reject(new Error("the disk is full"));
    const warnings: string[] = [];
    const { manager, sessions } = createFixture(["a"], {
      cache,
      log: (_level, message) => warnings.push(message),
    });
    await manager.start();
    await vi.advanceTimersByTimeAsync(0);
    const session = only(sessions.values());
    session.setTools([tool("new")]);
    session.notify(CHANGED);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(manager.tools()).toMatchObject([{ originalName: "new" }]);
    expect(warnings).toContain("The catalog could not be updated for a server.");
    await manager.close();
  });

  it("gets the list of a server connected before start(), with its original time", async () => {
    const cache = createFakeToolCache();
    const { manager, sessions } = createFixture(["a"], { cache });
    const listedAt = Date.now();
    await manager.callTool({ server: "a", tool: "echo" });
    await vi.advanceTimersByTimeAsync(5_000);
    await manager.start();
    expect(only(cache.entries.values())).toMatchObject({
      listedAt,
      tools: [{ name: "echo" }],
      stale: undefined,
    });
    expect(only(sessions.values()).listed).toEqual(["tools"]);
    await manager.close();
  });

  it("is stale if a server connected before start() has announced a change since", async () => {
    const cache = createFakeToolCache();
    const { manager, sessions } = createFixture(["a"], { cache });
    await manager.callTool({ server: "a", tool: "echo" });
    await vi.advanceTimersByTimeAsync(5_000);
    const session = only(sessions.values());
    session.holdLists();
    session.notify(CHANGED);
    await manager.start();
    expect(only(cache.entries.values())).toMatchObject({ stale: true, tools: [{ name: "echo" }] });
    await manager.close();
  });

  it("is not needed to reuse the prior handshake on a reconnect", async () => {
    const { manager, connector, sessions } = createFixture(["a"]);
    await manager.start();
    const { prior } = only(sessions.values()).handshake;
    await manager.reconnect("a");
    expect(connector.attempts.map(({ options }) => options.prior)).toEqual([undefined, prior]);
    await manager.close();
  });
});

const identity: CatalogIdentity = { id: "id" as CatalogId, credentials: "c" };
const entry = (prompt: string): CatalogEntry => ({
  server: "a",
  credentials: "c",
  listedAt: 1_000,
  tools: [],
  prompts: [{ name: prompt }],
});

it("lists that arrive before the catalog record are stored once and do not override later records", () => {
  const stored: StorableRecord[] = [];
  const memory = new CatalogMemory("a", {
    identified: (act) => act(identity),
    store: (record) => stored.push(record),
    markStale: () => {},
    delete: () => {},
    isBusy: false,
  });
  memory.contextListed("prompts", [{ name: "listed" }]);
  memory.take({ identity, entry: entry("remembered"), verdict: NOTHING_KNOWN });
  expect(stored.map((record) => record.entry.prompts)).toEqual([[{ name: "listed" }]]);
  memory.take({ identity, entry: entry("of another process"), verdict: NOTHING_KNOWN });
  expect(memory.entry?.prompts).toEqual([{ name: "of another process" }]);
  expect(stored).toHaveLength(1);
});

it("a record that is read after the server has refused its credentials is not used, and deleted", () => {
  const deleted: CatalogIdentity[] = [];
  const memory = new CatalogMemory("a", {
    identified: () => {},
    store: () => {},
    markStale: () => {},
    delete: (of) => deleted.push(of),
    isBusy: false,
  });
  memory.refused();
  expect(memory.take({ identity, entry: entry("of another account"), verdict: NOTHING_KNOWN })).toBe(false);
  expect(memory.entry).toBeUndefined();
  expect(deleted).toEqual([identity]);
});
