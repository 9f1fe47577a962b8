import { McpError } from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession, recordStatuses, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A manager with one server whose calls are answered when the test says so. */
async function withSlowAnswers(options: Parameters<typeof createFixture>[1] = {}) {
  const answers: (() => void)[] = [];
  const { manager, connector } = createFixture(["a"], { ...options, byHand: true });
  const starting = manager.start();
  const answer = () => new Promise((resolve) => answers.push(() => resolve({ content: [] })));
  const session = (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")], answer }));
  await starting;
  return { manager, connector, session, answers };
}

describe("an unused session", () => {
  it("closes after idleTimeoutMs; its tools stay, and the next call reconnects", async () => {
    const { manager, sessions, connector } = createFixture(["a"], { limits: { idleTimeoutMs: 60_000 } });
    await manager.start();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await vi.advanceTimersByTimeAsync(1);
    expect(manager.servers()).toMatchObject([
      { status: "idle", tools: 1, toolsFrom: "cache", error: undefined },
    ]);
    expect(sessions.get("a")?.closed).toBe(true);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(connector.attempts).toHaveLength(1);
    await manager.callTool("mcp__a__echo");
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("follows its server's idleTimeoutMs over the global one; 0 means never", async () => {
    const entry = (name: string, idleTimeoutMs: number) =>
      stdioDefinition(name, { limits: { idleTimeoutMs } });
    const { manager } = createFixture([entry("soon", 1_000), entry("never", 0), "as-all"], {
      limits: { idleTimeoutMs: 60_000 },
    });
    const statuses = () => manager.servers().map(({ name, status }) => `${name} ${status}`);
    await manager.start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(statuses()).toEqual(["soon idle", "never ready", "as-all ready"]);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(statuses()).toEqual(["soon idle", "never ready", "as-all idle"]);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(statuses()).toEqual(["soon idle", "never ready", "as-all idle"]);
    await manager.close();
  });

  it("of another user closes after ten minutes by default, unless the limits say otherwise", async () => {
    const never = stdioDefinition("never", { limits: { idleTimeoutMs: 0 } });
    const { manager } = createFixture([never, "a"]);
    const ann = manager.forPrincipal("ann");
    await Promise.all([manager.start(), ann.start()]);
    const statuses = (of: typeof ann) => of.servers().map(({ name, status }) => `${name} ${status}`);
    await vi.advanceTimersByTimeAsync(599_999);
    expect(statuses(ann)).toEqual(["never ready", "a ready"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(statuses(ann)).toEqual(["never ready", "a idle"]);
    expect(statuses(manager)).toEqual(["never ready", "a ready"]);
    await ann.callTool("mcp__a__echo");
    expect(statuses(ann)).toEqual(["never ready", "a ready"]);
    await manager.close();
    const kept = createFixture(["a"], { limits: { idleTimeoutMs: 0 } }).manager;
    const bob = kept.forPrincipal("bob");
    await bob.start();
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(statuses(bob)).toEqual(["a ready"]);
    await kept.close();
  });

  it("follows a reloaded idleTimeoutMs from its next use on, without reconnecting", async () => {
    const { manager, connector } = createFixture(["a"]);
    await manager.start();
    await manager.reload([stdioDefinition("a", { limits: { idleTimeoutMs: 1_000 } })]);
    await manager.callTool("mcp__a__echo");
    expect(connector.attempts).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(manager.servers()).toMatchObject([{ status: "idle" }]);
    await manager.close();
  });

  it("stays open by default", async () => {
    const { manager, sessions } = createFixture(["a", stdioDefinition("lazy", { lazy: true })]);
    await manager.start();
    await manager.callTool({ server: "lazy", tool: "echo" });
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect([...sessions.values()].map(({ closed }) => closed)).toEqual([false, false]);
    await manager.close();
  });

  it("stays open during a call, however long, and for idleTimeoutMs after it", async () => {
    const { manager, session, answers } = await withSlowAnswers({
      limits: { idleTimeoutMs: 1_000, callTimeoutMs: 0 },
    });
    const calling = manager.callTool("mcp__a__echo");
    await vi.advanceTimersByTimeAsync(600_000);
    expect(session.closed).toBe(false);
    answers[0]?.();
    await calling;
    await vi.advanceTimersByTimeAsync(999);
    expect(session.closed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(session.closed).toBe(true);
    await manager.close();
  });

  it("stays open during a listing, but polling does not count as use", async () => {
    const { manager, sessions } = createFixture(["a"], {
      limits: { idleTimeoutMs: 1_000, toolPollIntervalMs: 300 },
    });
    await manager.start();
    await vi.advanceTimersByTimeAsync(850);
    const session = sessions.get("a") as FakeSession;
    const release = session.holdLists();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(session.closed).toBe(false);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(session.closed).toBe(true);
    await manager.close();
  });

  it("does not time out while its server is connecting", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, limits: { idleTimeoutMs: 1_000 } });
    const starting = manager.start();
    const attempt = await connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(attempt.aborted).toBe(false);
    attempt.open(createFakeSession({ tools: [tool("echo")] }));
    await starting;
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await manager.close();
  });

  it("stays open while a resource has a listener, and closes idleTimeoutMs after the last one is gone", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, limits: { idleTimeoutMs: 1_000 } });
    const starting = manager.start();
    const capabilities = { tools: {}, resources: { subscribe: true } };
    const session = (await connector.nextAttempt()).open(createFakeSession({ handshake: { capabilities } }));
    await starting;
    const subscriptions = await Promise.all(
      [1, 2].map((at) => manager.subscribe("a", `file:///${at}`, () => {})),
    );
    await subscriptions[0]?.close();
    await vi.advanceTimersByTimeAsync(3_600_500);
    expect(session.closed).toBe(false);
    await subscriptions[1]?.close();
    await vi.advanceTimersByTimeAsync(999);
    expect(session.closed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(session.closed).toBe(true);
    await manager.close();
  });

  it("[R61] is timed independently of the system clock", async () => {
    const { manager } = createFixture(["a"], { limits: { idleTimeoutMs: 10_000 } });
    await manager.start();
    vi.setSystemTime(Date.now() + 3_600_000);
    await manager.refreshTools("a");
    await vi.advanceTimersByTimeAsync(9_999);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await vi.advanceTimersByTimeAsync(1);
    expect(manager.servers()).toMatchObject([{ status: "idle" }]);
    await manager.close();
  });
});

describe("a server's snapshot", () => {
  it("counts calls and failures across sessions; an abort is no failure", async () => {
    const { manager, connector, session, answers } = await withSlowAnswers();
    const controller = new AbortController();
    const calls = [
      manager.callTool("mcp__a__echo"),
      manager.callTool("mcp__a__echo", {}, { signal: controller.signal }),
      manager.callTool("mcp__a__echo"),
    ].map((call) => call.catch((error: McpError) => error.code));
    await vi.advanceTimersByTimeAsync(0);
    answers[0]?.();
    controller.abort();
    await vi.advanceTimersByTimeAsync(0);
    session.lose(new McpError("MCP_SERVER_EXITED", "exited"));
    expect(await Promise.all(calls)).toEqual([{ content: [] }, "MCP_ABORTED", "MCP_SESSION_LOST"]);
    expect(manager.servers()).toMatchObject([{ status: "backoff", calls: 3, failures: 1 }]);
    await vi.advanceTimersByTimeAsync(1_000);
    (await connector.nextAttempt()).open();
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.servers()).toMatchObject([{ status: "ready", calls: 3, failures: 1 }]);
    await manager.close();
  });

  it("[H11] shows ready, with the time it connected, only for a connected server", async () => {
    const { manager, connector } = createFixture(["up", "trying", "down"], {
      byHand: true,
      startup: { uncached: "later" },
      retry: { maxRetries: 0 },
    });
    const starting = manager.start();
    const upAt = Date.now() + 100;
    await vi.advanceTimersByTimeAsync(100);
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await connector.nextAttempt();
    (await connector.nextAttempt()).fail(new McpError("MCP_CONNECT_FAILED", "refused"));
    await vi.advanceTimersByTimeAsync(5_000);
    await starting;
    const ready = manager.servers().filter(({ status }) => status === "ready");
    const serverInfo = { name: "fake", version: "1.0.0" };
    expect(ready).toMatchObject([
      { name: "up", since: upAt, era: "modern", serverInfo, tools: 1, toolsFrom: "live" },
    ]);
    expect(manager.servers()).toMatchObject([{}, { status: "connecting" }, { status: "failed" }]);
    await manager.close();
  });

  it("does not change, and emits no statusChanged, when an idle server is disconnected", async () => {
    const { manager } = createFixture([stdioDefinition("a", { lazy: true })]);
    await manager.start();
    const [before] = manager.servers();
    const told = vi.fn();
    manager.on("statusChanged", told);
    await vi.advanceTimersByTimeAsync(1_000);
    await manager.disconnect("a");
    expect(manager.servers()).toMatchObject([{ status: "idle", since: before?.since }]);
    expect(told).not.toHaveBeenCalled();
    await manager.close();
  });

  it("a request rejects at once if a statusChanged listener disconnects the server", async () => {
    const { manager } = createFixture([stdioDefinition("a", { lazy: true })], { byHand: true });
    await manager.start();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "connecting") void manager.disconnect("a");
    });
    await expect(manager.refreshTools("a", { timeoutMs: 0 })).rejects.toMatchObject({
      code: "MCP_CLOSED",
      outcome: "not-sent",
    });
    await manager.close();
  });

  it("has toolsFrom cache after a loss, and none after a disconnect", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.lose(new McpError("MCP_SERVER_EXITED", "exited"));
    expect(manager.servers()).toMatchObject([{ toolsFrom: "cache" }]);
    await manager.disconnect("a");
    expect(manager.servers()).toMatchObject([{ toolsFrom: "none", tools: 0 }]);
    await manager.close();
  });

  it("[L20] ignores notifications and renewals of a replaced session", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const old = sessions.get("a");
    await manager.reconnect("a");
    const heard: unknown[] = [];
    manager.on("notification", (notification) => heard.push(notification));
    const statuses = recordStatuses(manager);
    old?.notify({ method: "notifications/tools/list_changed" });
    old?.renew();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard).toEqual([]);
    expect(old?.listed).toHaveLength(1);
    expect(statuses.of("a")).toEqual([]);
    expect(manager.servers()).toMatchObject([{ toolsFrom: "live", error: undefined }]);
    await manager.close();
  });
});
