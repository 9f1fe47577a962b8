import { type CatalogEntry, type CatalogId, McpError, type ToolDefinition } from "@jackfield/mcp-core";
import {
  createFakeConnector,
  createFakeSession,
  createFakeToolCache,
  httpDefinition,
  passThroughResolver,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMcpManager, type McpManagerOptions } from "../src/index.ts";
import { tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const definition = httpDefinition("wiki");

/** Machines with one catalog and one server, whose tools and `ttlMs` a test may change. */
function fleet(ttlMs?: number, capabilities: object = { tools: {} }) {
  const cache = createFakeToolCache();
  let tools: readonly ToolDefinition[] = [tool("old")];
  let lists = 0;
  const machine = (options: Partial<McpManagerOptions> = {}) => {
    const connector = createFakeConnector({
      onAttempt: (attempt) => {
        const session = createFakeSession({ handshake: { capabilities: capabilities as never } });
        session.list = async (kind) => {
          if (kind === "tools") lists += 1;
          return { items: kind === "tools" ? (tools as never) : [], ttlMs };
        };
        attempt.open(session);
      },
    });
    const manager = createMcpManager({
      servers: [definition],
      connect: connector.connect,
      resolve: passThroughResolver,
      cache,
      ...options,
    });
    return { manager, connector };
  };
  return {
    machine,
    cache,
    setTools: (next: readonly ToolDefinition[]) => (tools = next),
    lists: () => lists,
  };
}

const names = ({ manager }: { manager: ReturnType<typeof createMcpManager> }) =>
  manager.tools().map(({ originalName }) => originalName);

describe("a catalog that several machines share", () => {
  it("tells a machine whose session is idle what another one has listed since", async () => {
    const { machine, setTools } = fleet();
    const [a, b] = [machine({ limits: { idleTimeoutMs: 700 } }), machine({ limits: { idleTimeoutMs: 700 } })];
    await Promise.all([a.manager.start(), b.manager.start()]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(b.manager.servers()).toMatchObject([{ status: "idle" }]);
    const changes: unknown[] = [];
    b.manager.on("toolsChanged", (change) => changes.push(change));
    setTools([tool("old"), tool("new")]);
    await a.manager.callTool({ server: "wiki", tool: "old" });
    await vi.advanceTimersByTimeAsync(12_000);
    expect(names(b)).toEqual(["new", "old"]);
    expect(changes).toEqual([{ server: "wiki", added: ["mcp__wiki__new"], removed: [], changed: [] }]);
    expect(b.connector.attempts).toHaveLength(1);
    await Promise.all([a.manager.close(), b.manager.close()]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tells a machine where the server is lazy, too, and is not read while every server has a session", async () => {
    const { machine, cache, setTools } = fleet();
    const [a, b] = [machine(), machine({ servers: [{ ...definition, lazy: true }] })];
    await a.manager.start();
    await vi.advanceTimersByTimeAsync(0);
    await b.manager.start();
    expect(names(b)).toEqual(["old"]);
    setTools([tool("new")]);
    await vi.advanceTimersByTimeAsync(1);
    await a.manager.refreshTools("wiki");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(names(b)).toEqual(["new"]);
    await b.manager.close();
    const reads = vi.spyOn(cache, "getMany");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reads).not.toHaveBeenCalled();
    await a.manager.close();
  });
});

describe("a catalog that tells its changes", () => {
  /** Machines whose catalog tells the others at once what one of them has written. */
  function telling(...fleetOptions: Parameters<typeof fleet>) {
    const made = fleet(...fleetOptions);
    const listeners = new Set<(id: CatalogId) => void>();
    made.cache.set = async (id, entry) => {
      made.cache.entries.set(id, entry); // A store that machines share does not compare their clocks.
      for (const listener of listeners) listener(id);
    };
    const onChange = (listener: (id: CatalogId) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    return { ...made, cache: Object.assign(made.cache, { onChange }), listeners };
  }

  it("gives a machine without a session the new tools at once, whatever the clocks say", async () => {
    const { machine, setTools, listeners } = telling();
    const [a, b] = [machine(), machine({ limits: { idleTimeoutMs: 700 } })];
    await a.manager.start();
    vi.setSystemTime(Date.now() + 120_000);
    await b.manager.start();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(b.manager.servers()).toMatchObject([{ status: "idle" }]);
    vi.setSystemTime(Date.now() - 180_000); // The clock of the machine that lists now is two minutes behind.
    setTools([tool("new")]);
    await a.manager.refreshTools("wiki");
    await vi.advanceTimersByTimeAsync(100);
    expect(names(b)).toEqual(["new"]);
    expect(b.connector.attempts).toHaveLength(1);
    await Promise.all([a.manager.close(), b.manager.close()]);
    expect(listeners.size).toBe(0);
  });

  it.each([
    ["is asked once, if it does not announce changes", {}, 2],
    ["is not asked, if it announces changes", { listChanged: true }, 1],
  ])("a server with a session %s", async (_title, tools, expected) => {
    const { machine, cache, lists } = telling(undefined, { tools });
    const { manager } = machine({ retry: { heartbeat: { intervalMs: 0 } } });
    await manager.start();
    await vi.advanceTimersByTimeAsync(0);
    const [[id, entry] = []] = cache.entries;
    for (let time = 1; time <= 3; time += 1) {
      await cache.set(id as CatalogId, {
        ...(entry as CatalogEntry),
        tools: [tool("other")],
        listedAt: Date.now(),
      });
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(lists()).toBe(expected);
    expect(manager.tools().map(({ originalName }) => originalName)).toEqual(["old"]);
    await manager.close();
  });
});

describe("a list with a ttlMs", () => {
  beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
  afterEach(() => void vi.restoreAllMocks());

  it("of 0, the default of the official server SDK, is offered at once by the next start and read again behind it", async () => {
    const { machine, setTools, lists } = fleet(0);
    const first = machine();
    await first.manager.start();
    await first.manager.close();
    await vi.advanceTimersByTimeAsync(60_000);
    setTools([tool("new")]);
    const second = machine();
    const report = await second.manager.start();
    expect(report).toMatchObject({ cached: [{ toolsFrom: "cache" }] });
    expect(names(second)).toEqual(["old"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(names(second)).toEqual(["new"]);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(lists()).toBe(2);
    await second.manager.close();
  });

  it.each([
    ["when it is over", 120_000, {}, 3],
    ["at most once a minute", 5, {}, 5],
    ["also if the server announces changes", 120_000, { listChanged: true }, 3],
  ])("is read again on a live session %s", async (_title, ttlMs, tools, expected) => {
    const { machine, lists } = fleet(ttlMs, { tools });
    const { manager } = machine({ retry: { heartbeat: { intervalMs: 0 } } });
    await manager.start();
    await vi.advanceTimersByTimeAsync(4 * 60_000 + 1_000);
    expect(lists()).toBe(expected);
    await manager.close();
  });
});

describe("a list with a ttlMs in a fleet", () => {
  it("is read again by one machine for all", async () => {
    const spread = vi.spyOn(Math, "random");
    const { machine, lists } = fleet(120_000);
    const machines = [machine(), machine(), machine()];
    for (const [index, { manager }] of machines.entries()) {
      spread.mockReturnValue(index / 3);
      await manager.start();
    }
    await vi.advanceTimersByTimeAsync(0);
    const before = lists();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(lists() - before).toBeGreaterThanOrEqual(4);
    expect(lists() - before).toBeLessThanOrEqual(5);
    await Promise.all(machines.map(({ manager }) => manager.close()));
    vi.restoreAllMocks();
  });
});

describe("a start after one that failed", () => {
  const failed = new McpError("MCP_CONNECT_FAILED", "refused", { server: "wiki" });

  it.each([
    ["waits three seconds at most", 1_000, 3_000],
    ["waits until the server has settled a minute later", 61_000, 20_000],
  ])("%s", async (_title, laterMs, waitedMs) => {
    const { machine, cache } = fleet();
    const connector = createFakeConnector({
      onAttempt: (attempt) => {
        if (connector.attempts.length === 1) attempt.fail(failed);
        else setTimeout(() => attempt.open(createFakeSession({ tools: [tool("old")] })), 20_000);
      },
    });
    const options = { connect: connector.connect, cache, retry: { maxRetries: 0 } };
    const first = machine(options);
    await first.manager.start();
    await first.manager.close();
    await vi.advanceTimersByTimeAsync(laterMs);
    const second = machine(options);
    const from = Date.now();
    const starting = second.manager.start().then(() => Date.now() - from);
    await vi.advanceTimersByTimeAsync(25_000);
    expect(await starting).toBe(waitedMs);
    await second.manager.close();
  });

  it("does not count a connect that close() cut short as a failure", async () => {
    const { machine, cache } = fleet();
    const connector = createFakeConnector({ onAttempt: () => {} });
    const cut = machine({ connect: connector.connect, startup: { uncached: "later" } });
    const starting = cut.manager.start();
    await vi.advanceTimersByTimeAsync(250);
    await starting;
    const closing = cut.manager.close();
    await vi.advanceTimersByTimeAsync(5_000);
    await closing;
    expect(cache.entries.size).toBe(0);
  });
});
