import { setImmediate as nextTurn } from "node:timers/promises";
import { McpError } from "@jackfield/mcp-core";
import { createFakeSession, createFakeToolCache, recordStatuses, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, only, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const exited = new McpError("MCP_SERVER_EXITED", 'Server "a" exited with code 1.', { server: "a" });
const offering = (...names: string[]) => createFakeSession({ tools: names.map((name) => tool(name)) });

describe("close()", () => {
  it("[C31] [S2] closes a session that opens during the close", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const statuses = recordStatuses(manager);
    const starting = manager.start();
    const refused = expect(starting).rejects.toMatchObject({ code: "MCP_CLOSED" });
    const attempt = await connector.nextAttempt();
    const closing = manager.close();
    const late = attempt.open();
    await closing;
    await refused;
    expect(late.closed).toBe(true);
    expect(statuses.of("a")).toEqual(["connecting", "closing", "closed"]);
  });

  it("[S3] rejects every pending call before it resolves", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).open(
      createFakeSession({ tools: [tool("echo")], answer: () => new Promise(() => {}) }),
    );
    await starting;
    const pending = expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await vi.advanceTimersByTimeAsync(0);
    await manager.close();
    await pending;
  });

  it("[X12] closes each session once when called twice", async () => {
    const cache = createFakeToolCache();
    const { manager, sessions } = createFixture(["a"], { cache });
    await manager.start();
    await Promise.all([manager.close(), manager.close()]);
    expect(only(sessions.values()).closeCount).toBe(1);
    expect(manager.servers()).toMatchObject([{ status: "closed" }]);
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });

  it("[S4] does not restart a server that exits during the close", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    const session = sessions.get("a");
    const release = session?.holdClose();
    const closing = manager.close();
    session?.lose(exited);
    release?.();
    await closing;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(connector.attempts).toHaveLength(1);
  });
});

describe("a session that hangs on close", () => {
  it("[C21] delays neither the others nor close() beyond closeTimeoutMs", async () => {
    const logged: string[] = [];
    const { manager, sessions } = createFixture(["hangs", "good"], {
      limits: { closeTimeoutMs: 2_000 },
      log: (_level, message) => logged.push(message),
    });
    await manager.start();
    sessions.get("hangs")?.holdClose();
    const closing = manager.close();
    await vi.advanceTimersByTimeAsync(2_000);
    await closing;
    expect(sessions.get("good")?.closed).toBe(true);
    expect(manager.servers()).toMatchObject([{ status: "closed" }, { status: "closed" }]);
    expect(logged).toEqual(["A session did not close within 2000 ms and was left behind."]);
  });
});

describe("closing the manager", () => {
  it("[S3] rejects calls in flight before it closes their session", async () => {
    const order: string[] = [];
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const session = createFakeSession({ tools: [tool("echo")], answer: () => new Promise(() => {}) });
    const close = session.close.bind(session);
    session.close = async () => {
      await nextTurn();
      order.push("session told");
      await close();
    };
    (await connector.nextAttempt()).open(session);
    await starting;
    const call = manager.callTool("mcp__a__echo").catch((error: unknown) => {
      order.push("caller told");
      return error;
    });
    await vi.advanceTimersByTimeAsync(0);
    await manager.close();
    expect(await call).toMatchObject({ code: "MCP_CLOSED", outcome: "unknown", tool: "echo" });
    expect(order).toEqual(["caller told", "session told"]);
  });

  it("[C33] [R41] never rejects, and logs sessions that fail to close, even late ones", async () => {
    const logged: string[] = [];
    const { manager, connector } = createFixture(["a", "b"], {
      byHand: true,
      limits: { closeTimeoutMs: 1_000 },
      log: (_level, message) => logged.push(message),
    });
    const starting = manager.start();
    const late = Promise.withResolvers<void>();
    const [a, b] = [offering("echo"), offering("echo")];
    a.close = () => Promise.reject(new Error("no"));
    b.close = () => late.promise;
    (await connector.nextAttempt()).open(a);
    (await connector.nextAttempt()).open(b);
    await starting;
    const closing = manager.close();
    await vi.advanceTimersByTimeAsync(1_000);
    await closing;
    late.reject(new Error("too late"));
    await vi.advanceTimersByTimeAsync(0);
    const unclean = "A session did not close cleanly.";
    expect(logged).toEqual([unclean, "A session did not close within 1000 ms and was left behind.", unclean]);
  });

  it("[C22] while start() resolves variables opens no connection afterwards", async () => {
    const filledIn = Promise.withResolvers<never>();
    const { manager, connector } = createFixture(["a"], {
      cache: createFakeToolCache(),
      resolve: () => filledIn.promise,
    });
    const starting = expect(manager.start()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await manager.close();
    await starting;
    filledIn.reject(exited);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connector.attempts).toEqual([]);
  });

  it("rejects a start() that waits for a catalog that never answers", async () => {
    const cache = { ...createFakeToolCache(), getMany: () => new Promise<never>(() => {}) };
    const { manager } = createFixture(["a"], { cache });
    const starting = expect(manager.start()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await vi.advanceTimersByTimeAsync(0);
    await manager.close();
    await starting;
  });

  it("[C32] also closes a server that a call connected before start()", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.callTool({ server: "a", tool: "echo" });
    await manager.close();
    expect(sessions.get("a")?.closed).toBe(true);
  });

  it("[R27] cancels a reconnect, and closes its session if it still opens", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    await starting;
    const reconnecting = expect(manager.reconnect("a")).rejects.toMatchObject({ code: "MCP_CLOSED" });
    const attempt = await connector.nextAttempt();
    const closing = manager.close();
    const late = attempt.open(offering("echo"));
    await closing;
    await reconnecting;
    expect(late.closed).toBe(true);
    expect(manager.servers()).toMatchObject([{ status: "closed" }]);
  });

  it("[L18] cancels a listing in flight and rejects refreshTools()", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.holdLists();
    const refreshing = expect(manager.refreshTools("a")).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await vi.advanceTimersByTimeAsync(0);
    await manager.close();
    await refreshing;
  });

  it("[R37] withdraws all tools and emits toolsChanged", async () => {
    const { manager } = createFixture(["a"], { startup: { failures: "drop" } });
    await manager.start();
    const changes: unknown[] = [];
    manager.on("toolsChanged", (change) => changes.push(change));
    await manager.close();
    expect(manager.tools()).toEqual([]);
    expect(changes).toMatchObject([{ server: "a", removed: ["mcp__a__echo"] }]);
  });
});

describe("start() after close()", () => {
  it("connects the same servers again and keeps the listeners", async () => {
    const { manager, connector } = createFixture(["a"]);
    const first = await manager.start();
    await manager.close();
    const changes: unknown[] = [];
    manager.on("toolsChanged", ({ added }) => changes.push(added));
    const second = await manager.start();
    expect(second).not.toBe(first);
    expect(second.ready).toMatchObject([{ name: "a", toolsFrom: "live" }]);
    expect(changes).toEqual([["mcp__a__echo"]]);
    await expect(manager.callTool("mcp__a__echo")).resolves.toBeDefined();
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("connects servers that had been disconnected before", async () => {
    const lazy = stdioDefinition("lazy", { lazy: true });
    const { manager } = createFixture(["a", lazy]);
    await manager.start();
    await manager.disconnect("a");
    await manager.disconnect("lazy");
    await manager.close();
    const report = await manager.start();
    expect(report.ready.map(({ name }) => name)).toEqual(["a"]);
    await expect(manager.callTool({ server: "lazy", tool: "echo" })).resolves.toBeDefined();
    await manager.close();
  });

  it("[R38] waits until close() has ended, and another close() closes again", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    const release = sessions.get("a")?.holdClose();
    const closing = manager.close();
    const starting = manager.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(connector.attempts).toHaveLength(1);
    release?.();
    await closing;
    await starting;
    expect(connector.attempts).toHaveLength(2);
    const second = manager.start();
    await Promise.all([manager.close(), second]);
    expect(manager.servers()).toMatchObject([{ status: "closed" }]);
  });

  it("is cancelled by a second close() while it waits for the first", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    const release = sessions.get("a")?.holdClose();
    void manager.close();
    const starting = expect(manager.start()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    const closing = manager.close();
    release?.();
    await closing;
    await starting;
    expect(manager.servers()).toMatchObject([{ status: "closed" }]);
    expect(connector.attempts).toHaveLength(1);
  });
});
