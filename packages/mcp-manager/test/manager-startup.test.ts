import { McpError } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  httpDefinition,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refused = new McpError("MCP_CONNECT_FAILED", 'Server "b" refused the connection.', { server: "b" });

async function seeded(
  names: readonly string[],
  entry: Parameters<ReturnType<typeof createFakeToolCache>["seed"]>[1],
) {
  const cache = createFakeToolCache();
  for (const name of names) {
    const server = await passThroughResolver(stdioDefinition(name), { signal: new AbortController().signal });
    cache.seed(server, { tools: [tool("remembered")], ...entry });
  }
  return cache;
}

describe("start-up without a catalog", () => {
  it("[H10] offers the tools of connected servers and reports the failed one", async () => {
    const { manager, connector } = createFixture(["a", "b", "c"], { byHand: true });
    const starting = manager.start();
    for (const attempt of [
      await connector.nextAttempt(),
      await connector.nextAttempt(),
      await connector.nextAttempt(),
    ]) {
      if (attempt.server.name === "b") attempt.fail(refused);
      else attempt.open(createFakeSession({ tools: [tool("echo")] }));
    }
    const report = await starting;
    expect(report.ready.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(report.failed).toEqual([{ name: "b", error: refused }]);
    expect(manager.tools().map(({ name }) => name)).toEqual(["mcp__a__echo", "mcp__c__echo"]);
    await manager.close();
  });

  it("connects all servers in parallel", async () => {
    const { manager, connector } = createFixture(["a", "b", "c"], { byHand: true });
    void manager.start().catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(connector.attempts).toHaveLength(3);
    await manager.close();
  });

  it("[C1] does not wait for a silent server beyond the gate if uncached is later", async () => {
    const { manager, connector } = createFixture(["a", "silent"], {
      byHand: true,
      startup: { uncached: "later" },
    });
    const starting = manager.start();
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    const silent = await connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(250);
    const report = await starting;
    expect(report.waiting.map(({ name }) => name)).toEqual(["silent"]);
    const late: string[][] = [];
    manager.on("toolsChanged", ({ added }) => late.push([...added]));
    silent.open(createFakeSession({ tools: [tool("late")] }));
    await vi.advanceTimersByTimeAsync(0);
    expect(late).toEqual([["mcp__silent__late"]]);
    await manager.close();
  });

  it("[C16] lists tools in the same order whichever server connects first", async () => {
    const orders = await Promise.all(
      [
        [0, 1],
        [1, 0],
      ].map(async (order) => {
        const { manager, connector } = createFixture(["a", "b"], { byHand: true });
        const starting = manager.start();
        const attempts = [await connector.nextAttempt(), await connector.nextAttempt()];
        for (const index of order)
          attempts[index]?.open(createFakeSession({ tools: [tool("z"), tool("a")] }));
        await starting;
        const listed = JSON.stringify(manager.tools());
        await manager.close();
        return listed;
      }),
    );
    expect(orders[0]).toBe(orders[1]);
  });

  it("[S12] repeats a failed first listing once, then reports the error", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const session = createFakeSession();
    session.failLists(new McpError("MCP_REQUEST_REJECTED", "list failed"));
    const starting = manager.start();
    (await connector.nextAttempt()).open(session);
    const report = await starting;
    expect(session.listed).toEqual(["tools", "tools"]);
    expect(report.failed).toMatchObject([{ name: "a", error: { code: "MCP_REQUEST_REJECTED" } }]);
    expect(manager.servers()).toMatchObject([
      { status: "ready", toolsFrom: "none", error: { message: "list failed" } },
    ]);
    await manager.close();
  });

  it("does not connect a disabled server, and reports it as blocked", async () => {
    const { manager, connector } = createFixture(["a", stdioDefinition("off", { enabled: false })]);
    const report = await manager.start();
    expect(report.blocked).toEqual([{ name: "off", reason: "it is switched off where it is defined" }]);
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });

  it("[R43] rejects with MCP_ABORTED when aborted, after closing everything", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const controller = new AbortController();
    const starting = manager.start({ signal: controller.signal });
    const attempt = await connector.nextAttempt();
    controller.abort();
    await expect(starting).rejects.toMatchObject({ code: "MCP_ABORTED" });
    expect(attempt.aborted).toBe(true);
    expect(manager.servers()).toMatchObject([{ status: "closed" }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("start-up with a catalog", () => {
  it("takes serverInfo and instructions from the catalog until the server is ready", async () => {
    const serverInfo = { name: "earlier", version: "0.9.0" };
    const cache = await seeded(["a"], { serverInfo, instructions: "Look before you write." });
    const { manager, connector } = createFixture(["a"], { byHand: true, cache });
    await manager.start();
    expect(manager.servers()).toMatchObject([{ serverInfo, instructions: "Look before you write." }]);
    const handshake = { serverInfo: { name: "later", version: "1.0.0" } };
    (await connector.nextAttempt()).open(createFakeSession({ handshake }));
    await vi.waitFor(() => expect(manager.servers()).toMatchObject([{ status: "ready" }]));
    expect(manager.servers()).toMatchObject([{ serverInfo: { name: "later" }, instructions: undefined }]);
    await manager.close();
  });

  it("returns at once with fresh cached tools, before any server is up", async () => {
    const cache = await seeded(["a"], {});
    const { manager } = createFixture(["a"], { byHand: true, cache });
    const report = await manager.start();
    expect(report.cached).toMatchObject([{ name: "a", status: "connecting", tools: 1, toolsFrom: "cache" }]);
    expect(manager.tools()).toMatchObject([{ name: "mcp__a__remembered", origin: "cache" }]);
    await manager.close();
  });

  it("waits for live tools until the gate, then offers stale ones", async () => {
    const cache = await seeded(["quick", "slow"], { listedAt: Date.now() - 2 * 3_600_000 });
    const { manager, connector } = createFixture(["quick", "slow"], { byHand: true, cache });
    const starting = manager.start();
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("live")] }));
    await connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(250);
    const report = await starting;
    expect(report.ready).toMatchObject([{ name: "quick", toolsFrom: "live" }]);
    expect(report.cached).toMatchObject([{ name: "slow", toolsFrom: "stale" }]);
    await manager.close();
  });

  it("connects servers without a catalog entry first when concurrency is limited", async () => {
    const cache = await seeded(["old-1", "old-2"], {});
    const unknown = httpDefinition("new");
    const { manager, connector } = createFixture(["old-1", "old-2", unknown], {
      byHand: true,
      cache,
      startup: { concurrency: 2 },
    });
    const starting = manager.start();
    const first = await connector.nextAttempt();
    expect(first.server.name).toBe("new");
    first.open(createFakeSession({ tools: [tool("live")] }));
    expect((await starting).ready).toMatchObject([{ name: "new" }]);
    expect((await Promise.all([connector.nextAttempt(), connector.nextAttempt()])).length).toBe(2);
    await manager.close();
  });

  it("treats an entry written with other credentials as stale", async () => {
    const cache = await seeded(["a"], { credentials: "of an older token" });
    const { manager } = createFixture(["a"], { byHand: true, cache });
    const starting = manager.start();
    await vi.advanceTimersByTimeAsync(250);
    expect((await starting).cached).toMatchObject([{ name: "a", toolsFrom: "stale" }]);
    await manager.close();
  });

  it("waits a few seconds for a server that failed less than a minute ago", async () => {
    const cache = createFakeToolCache();
    const first = createFixture(["dead"], { byHand: true, cache });
    const starting = first.manager.start();
    (await first.connector.nextAttempt()).fail(refused);
    await starting;
    await vi.advanceTimersByTimeAsync(0);
    const second = createFixture(["dead"], {
      byHand: true,
      cache: createFakeToolCache({ entries: cache.entries }),
    });
    await first.manager.close();
    const again = second.manager.start();
    let isStarted = false;
    void again.then(() => {
      isStarted = true;
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isStarted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect((await again).waiting).toMatchObject([{ name: "dead", status: "connecting" }]);
    await second.manager.close();
  });

  it("records a failure for a server that dies before its first list", async () => {
    const cache = createFakeToolCache();
    const { manager, connector } = createFixture(["a"], { byHand: true, cache });
    const starting = manager.start();
    const session = createFakeSession();
    session.list = () => new Promise(() => {});
    (await connector.nextAttempt()).open(session);
    await vi.advanceTimersByTimeAsync(0);
    session.lose(new McpError("MCP_SERVER_EXITED", "exited", { server: "a" }));
    await starting;
    await manager.close();
    expect([...cache.entries.values()]).toMatchObject([
      { lastOutcome: { ok: false, code: "MCP_SERVER_EXITED" } },
    ]);
  });

  it("emits toolsChanged only if the live list differs from the cached one", async () => {
    for (const [live, expected] of [
      ["remembered", 0],
      ["other", 1],
    ] as const) {
      const cache = await seeded(["a"], {});
      const { manager, connector } = createFixture(["a"], { byHand: true, cache });
      await manager.start();
      const changes: unknown[] = [];
      manager.on("toolsChanged", (change) => changes.push(change));
      (await connector.nextAttempt()).open(createFakeSession({ tools: [tool(live)] }));
      await vi.advanceTimersByTimeAsync(0);
      expect(changes).toHaveLength(expected);
      expect(manager.tools()).toMatchObject([{ originalName: live, origin: "live" }]);
      await manager.close();
    }
  });

  it("caches a server's tools, and passes its handshake to the next start", async () => {
    const cache = createFakeToolCache();
    const first = createFixture(["a"], { cache, tools: [tool("echo")] });
    await first.manager.start();
    const [entry] = cache.entries.values();
    expect(entry).toMatchObject({
      tools: [{ name: "echo" }],
      prior: { era: "modern" },
      lastOutcome: { ok: true },
    });
    const next = createFixture(["a"], {
      byHand: true,
      cache: createFakeToolCache({ entries: cache.entries }),
    });
    await next.manager.start();
    expect((await next.connector.nextAttempt()).options.prior).toEqual(entry?.prior);
    await Promise.all([first.manager.close(), next.manager.close()]);
  });

  it("connects no server at all if start-up is lazy, and the one that is called", async () => {
    const cache = await seeded(["a", "b"], {});
    const { manager, connector } = createFixture(["a", "b", "new"], { cache, startup: { lazy: true } });
    const report = await manager.start();
    expect(report.cached.map(({ name }) => name)).toEqual(["a", "b", "new"]);
    expect(connector.attempts).toEqual([]);
    await manager.callTool({ server: "b", tool: "remembered" }, {}).catch(() => undefined);
    expect(connector.attempts.map(({ server }) => server.name)).toEqual(["b"]);
    await manager.close();
  });

  it("[H9] shows a lazy server's tools without connecting it", async () => {
    const cache = await seeded(["lazy"], {});
    const { manager, connector } = createFixture([stdioDefinition("lazy", { lazy: true })], { cache });
    const report = await manager.start();
    expect(report.cached).toMatchObject([{ name: "lazy", status: "idle" }]);
    expect(manager.tools()).toHaveLength(1);
    expect(connector.attempts).toHaveLength(0);
    await manager.close();
  });

  it("reports a server with missing variables as failed, and caches nothing for it", async () => {
    const missing = new McpError("MCP_CONFIG_VARIABLE_MISSING", "TOKEN is not set", { server: "a" });
    const cache = createFakeToolCache();
    const { manager } = createFixture([httpDefinition("a")], {
      cache,
      resolve: () => Promise.reject(missing),
    });
    expect((await manager.start()).failed).toEqual([{ name: "a", error: missing }]);
    expect(cache.entries.size).toBe(0);
    await manager.close();
  });
});
