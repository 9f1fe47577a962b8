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

describe("during start-up", () => {
  it("[C9] a server disconnected before start() ends is neither reported nor offered", async () => {
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

  it("[C10] the first tool list does not overwrite a newer one when start() ends", async () => {
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

  it("[C25] a failure after start() has returned is logged once", async () => {
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

  it("[C30] [R47] a second start() connects nothing again", async () => {
    const { manager, connector } = createFixture(["a"]);
    expect(await manager.start()).toBe(await manager.start());
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });
});

describe("disconnecting", () => {
  it("[C13] [C15] removes only this server's tools, not those of a similar name", async () => {
    const { manager } = createFixture(["My.Server", "My_Server", "other"]);
    await manager.start();
    const changes: unknown[] = [];
    manager.on("toolsChanged", (change) => changes.push(change));
    await manager.disconnect("My.Server");
    expect(manager.tools().map(({ server }) => server)).toEqual(["My_Server", "other"]);
    expect(changes).toMatchObject([{ server: "My.Server", added: [], changed: [] }]);
    await manager.close();
  });

  it("[C3] an earlier attempt that opens late does not replace a newer session", async () => {
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

  it("[C20] [R6] cancels the scheduled retry", async () => {
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
  it("[R3] twice at once makes one attempt, whose error both callers get", async () => {
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

  it("[R12] while a retry is scheduled connects only once", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.lose(exited);
    await manager.reconnect("a");
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("[C12] one server does not affect the others", async () => {
    const { manager } = createFixture(["a", "b"]);
    await manager.start();
    const statuses = recordStatuses(manager);
    await manager.reconnect("a");
    expect(statuses.of("a")).toEqual(["idle", "connecting", "ready"]);
    expect(statuses.of("b")).toEqual([]);
    await manager.close();
  });

  it("[S8] a failed server gives it all its retries again", async () => {
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

  it("[R23] emits toolsChanged once and updates the catalog", async () => {
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

  it("[S13] is not scheduled for a server that requires authorization", async () => {
    const refused = new McpError("MCP_AUTH_REQUIRED", "log in first", { server: "a" });
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(refused);
    expect((await starting).failed).toEqual([{ name: "a", error: refused }]);
    expect(manager.servers()).toMatchObject([{ status: "failed", error: { code: "MCP_AUTH_REQUIRED" } }]);
    await manager.close();
  });
});

describe("what callers see", () => {
  it("[H7] a server that ends before its first list is reported as failed", async () => {
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

  it("a failed server keeps its error while it reconnects, until it is ready", async () => {
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

  it("[R32] an unsent call rejects with the server's error as its cause", async () => {
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

  it("[R35] changing the array that servers() returns has no effect", async () => {
    const { manager } = createFixture(["a"]);
    await manager.start();
    (manager.servers() as unknown[]).pop();
    expect(manager.servers()).toHaveLength(1);
    await manager.close();
  });

  it("[R35] reports and snapshots are frozen; the host's own definition is not", async () => {
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
