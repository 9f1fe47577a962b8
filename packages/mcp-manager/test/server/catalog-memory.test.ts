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
import { createCatalogMemory, type StorableRecord } from "../../src/server/catalog-memory.ts";
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

describe("what the catalog is told", () => {
  it("is the other lists as well where the tools could not be listed at first", async () => {
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

  it("is the other lists with the tools of a later session where the first one listed none", async () => {
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

  it("is the other lists of a server that a call woke before the start, where the catalog knows its tools", async () => {
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

  it("is nothing of an attempt that somebody gave up: that is no failure of the server", async () => {
    const cache = createFakeToolCache();
    const { manager, connector } = createFixture(["a"], { cache, byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(new McpError("MCP_ABORTED", "given up"));
    await starting;
    await vi.advanceTimersByTimeAsync(0);
    expect(cache.entries.size).toBe(0);
    await manager.close();
  });

  it("is when a list was begun, not when it was in: what happened meanwhile may not be in it", async () => {
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

  it("is how long an attempt took until its first list, connecting included; no later list changes that", async () => {
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

  it("is that its list is stale as soon as the server announces another, and no longer once that is in", async () => {
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

  it("stays stale if the server goes before it is listed again, so the next start waits at the gate", async () => {
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

  it("is nothing by a catalog that throws: the server is listed all the same", async () => {
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
    expect(warnings).toContain("the catalog could not be updated for a server");
    await manager.close();
  });

  it("is the list of a server that a call woke before the start, as it was when it was in", async () => {
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

  it("is that such a list is stale if the server has announced another since", async () => {
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

  it("is not needed to shake hands as before: a server that is started again is not asked for its era", async () => {
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

it("what was listed besides the tools is told once, and does not stand over what the catalog knows later", () => {
  const stored: StorableRecord[] = [];
  const memory = createCatalogMemory("a", { store: (record) => stored.push(record), markStale: () => {} });
  memory.contextListed("prompts", [{ name: "listed" }]);
  memory.take({ identity, entry: entry("remembered"), verdict: NOTHING_KNOWN });
  expect(stored.map((record) => record.entry.prompts)).toEqual([[{ name: "listed" }]]);
  memory.take({ identity, entry: entry("of another process"), verdict: NOTHING_KNOWN });
  expect(memory.entry?.prompts).toEqual([{ name: "of another process" }]);
  expect(stored).toHaveLength(1);
});
