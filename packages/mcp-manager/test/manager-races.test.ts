import { type LogFields, McpError } from "@jackfield/mcp-core";
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

describe("what happens while start-up is still waiting", () => {
  it("[C9] a server that came up and was disconnected meanwhile is not offered when the wait ends", async () => {
    const { manager, connector } = createFixture(["a", "slow"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    const slow = await connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(50);
    await manager.disconnect("a");
    slow.open(offering("other"));
    const report = await starting;
    expect(report.ready.map(({ name }) => name)).toEqual(["slow"]);
    expect(manager.tools().map(({ server }) => server)).toEqual(["slow"]);
    await manager.close();
  });

  it("[C10] a newer list is not replaced by the earlier one when the wait ends", async () => {
    const { manager, connector } = createFixture(["a", "slow"], { byHand: true });
    const starting = manager.start();
    const session = (await connector.nextAttempt()).open(offering("early"));
    const slow = await connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(50);
    session.setTools([tool("late")]);
    session.notify({ method: "notifications/tools/list_changed" });
    await vi.advanceTimersByTimeAsync(50);
    slow.open(offering());
    await starting;
    expect(manager.tools()).toMatchObject([{ originalName: "late" }]);
    await manager.close();
  });

  it("[C25] a failure after the wait is logged once and thrown nowhere", async () => {
    const logged: [message: string, fields: LogFields | undefined][] = [];
    const { manager, connector } = createFixture(["late"], {
      byHand: true,
      startup: { uncached: "later" },
      retry: { maxRetries: 0 },
      log: (_level, message, fields) => logged.push([message, fields]),
    });
    const starting = manager.start();
    await vi.advanceTimersByTimeAsync(250);
    await starting;
    (await connector.nextAttempt()).fail(exited);
    await vi.advanceTimersByTimeAsync(0);
    expect(logged).toEqual([[exited.message, { server: "late", code: "MCP_SERVER_EXITED" }]]);
    await manager.close();
  });

  it("[C30] [R47] starting again does not start anything twice", async () => {
    const { manager, connector } = createFixture(["a"]);
    expect(await manager.start()).toBe(await manager.start());
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });
});

describe("disconnecting", () => {
  it("[C13] [C15] takes away this server's tools only, whatever its name looks like as a tool's", async () => {
    const { manager } = createFixture(["My.Server", "My_Server", "other"]);
    await manager.start();
    const changes: unknown[] = [];
    manager.on("toolsChanged", (change) => changes.push(change));
    await manager.disconnect("My.Server");
    expect(manager.tools().map(({ server }) => server)).toEqual(["My_Server", "other"]);
    expect(changes).toMatchObject([{ server: "My.Server", added: [], changed: [] }]);
    await manager.close();
  });

  it("[C3] an earlier attempt that succeeds late does not take the place of a newer one", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const early = await connector.nextAttempt();
    await manager.disconnect("a");
    const reconnecting = manager.reconnect("a");
    const newer = await connector.nextAttempt();
    const late = early.open(offering("early"));
    newer.open(offering("newer"));
    await reconnecting;
    await starting;
    await vi.advanceTimersByTimeAsync(0);
    expect(late.closed).toBe(true);
    expect(manager.tools()).toMatchObject([{ originalName: "newer" }]);
    await manager.close();
  });

  it("[C20] [R6] cancels the attempt that was scheduled", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.lose(exited);
    await manager.disconnect("a");
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(connector.attempts).toHaveLength(1);
    expect(manager.servers()).toMatchObject([{ status: "idle", tools: 0 }]);
    await manager.close();
  });
});

describe("reconnecting", () => {
  it("[R3] happens once when two ask for it at once, and both hear the same", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    await starting;
    const first = manager.reconnect("a");
    const attempt = await connector.nextAttempt();
    const both = Promise.allSettled([first, manager.reconnect("a")]);
    attempt.fail(exited);
    expect(await both).toEqual([
      { status: "rejected", reason: exited },
      { status: "rejected", reason: exited },
    ]);
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("[R12] while an attempt is scheduled does not connect twice", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.lose(exited);
    await manager.reconnect("a");
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("[C12] one server does not touch the others", async () => {
    const { manager } = createFixture(["a", "b"]);
    await manager.start();
    const statuses = recordStatuses(manager);
    await manager.reconnect("a");
    expect(statuses.of("a")).toEqual(["idle", "connecting", "ready"]);
    expect(statuses.of("b")).toEqual([]);
    await manager.close();
  });

  it("[S8] by hand gives a failed server all its retries again", async () => {
    const { manager, connector } = createFixture(["a"], {
      byHand: true,
      retry: { maxRetries: 1, jitter: "none" },
    });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(exited);
    await starting;
    await vi.advanceTimersByTimeAsync(1_000);
    (await connector.nextAttempt()).fail(exited);
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.servers()).toMatchObject([{ status: "failed" }]);
    const reconnecting = expect(manager.reconnect("a")).rejects.toBe(exited);
    (await connector.nextAttempt()).fail(exited);
    await reconnecting;
    expect(manager.servers()).toMatchObject([{ status: "backoff" }]);
    await manager.close();
  });

  it("[R23] says once what changed, and the catalog is told", async () => {
    const cache = createFakeToolCache();
    const { manager, connector } = createFixture(["a"], { byHand: true, cache });
    const starting = manager.start();
    (await connector.nextAttempt()).open(offering("before"));
    await starting;
    const changes: unknown[] = [];
    manager.on("toolsChanged", (change) => changes.push(change));
    const reconnecting = manager.reconnect("a");
    await vi.advanceTimersByTimeAsync(1);
    (await connector.nextAttempt()).open(offering("after"));
    await reconnecting;
    await vi.advanceTimersByTimeAsync(0);
    expect(changes).toEqual([
      { server: "a", added: ["mcp__a__after"], removed: ["mcp__a__before"], changed: [] },
    ]);
    expect(only(cache.entries.values()).tools).toMatchObject([{ name: "after" }]);
    await manager.close();
  });

  it("[S13] is not tried for a server that wants authorization", async () => {
    const refused = new McpError("MCP_AUTH_REQUIRED", "log in first", { server: "a" });
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(refused);
    expect((await starting).failed).toEqual([{ name: "a", error: refused }]);
    expect(manager.servers()).toMatchObject([{ status: "failed", error: { code: "MCP_AUTH_REQUIRED" } }]);
    await manager.close();
  });
});

describe("what callers are told", () => {
  it("[H7] a server that ends between its handshake and its list is not taken for connected", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const session = createFakeSession();
    session.holdLists();
    (await connector.nextAttempt()).open(session);
    await vi.advanceTimersByTimeAsync(0);
    session.lose(exited);
    expect((await starting).failed).toEqual([{ name: "a", error: exited }]);
    expect(manager.servers()).toMatchObject([{ status: "backoff", tools: 0 }]);
    await manager.close();
  });

  it("why a server failed is still told while it is tried again, and no longer once it is up", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(exited);
    expect((await starting).failed).toEqual([{ name: "a", error: exited }]);
    await vi.advanceTimersByTimeAsync(1_000);
    const again = await connector.nextAttempt();
    expect(manager.servers()).toMatchObject([{ status: "connecting", error: { code: "MCP_SERVER_EXITED" } }]);
    again.open(offering("echo"));
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.servers()).toMatchObject([{ status: "ready", error: undefined }]);
    await manager.close();
  });

  it("[R32] an error that keeps a call from being made carries the original as its cause", async () => {
    const { manager, sessions } = createFixture(["a"], { retry: { maxRetries: 0, reviveOnCall: false } });
    await manager.start();
    sessions.get("a")?.lose(exited);
    const error = await manager.callTool("mcp__a__echo").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "MCP_SERVER_EXITED",
      outcome: "not-sent",
      tool: "echo",
      cause: exited,
    });
    await manager.close();
  });

  it("[T10] aborting one of several calls lets the others finish", async () => {
    const answers = new Map<unknown, () => void>();
    const session = createFakeSession({
      tools: [tool("wait")],
      answer: (_method, { arguments: args }) =>
        new Promise((resolve) => answers.set((args as { id: number }).id, () => resolve({ content: [] }))),
    });
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).open(session);
    await starting;
    const controller = new AbortController();
    const aborted = manager.callTool("mcp__a__wait", { id: 1 }, { signal: controller.signal });
    const sibling = manager.callTool("mcp__a__wait", { id: 2 });
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "MCP_ABORTED" });
    answers.get(2)?.();
    await expect(sibling).resolves.toEqual({ content: [] });
    await manager.close();
  });

  it("[R35] changing a returned list of servers changes nothing", async () => {
    const { manager } = createFixture(["a"]);
    await manager.start();
    (manager.servers() as unknown[]).pop();
    expect(manager.servers()).toHaveLength(1);
    await manager.close();
  });

  it("[R35] the report of a start and what is said of a server cannot be changed, and the host's own definition can", async () => {
    const definition = stdioDefinition("a", { definedIn: { scope: "explicit" } });
    const off = stdioDefinition("off", { enabled: false });
    const { manager } = createFixture([definition, off]);
    const report = await manager.start();
    const { ready, cached, failed, waiting, blocked } = report;
    const [snapshot] = manager.servers();
    const given = [report, ready, cached, failed, waiting, blocked, ...ready, ...blocked, snapshot];
    expect(given.every(Object.isFrozen)).toBe(true);
    expect([snapshot?.definedIn, snapshot?.serverInfo].every(Object.isFrozen)).toBe(true);
    expect(snapshot?.definedIn).toEqual(definition.definedIn);
    expect(Object.isFrozen(definition.definedIn)).toBe(false);
    expect(await manager.start()).toBe(report);
    await manager.close();
  });
});
