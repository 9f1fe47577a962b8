import { type Listing, McpError } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  type FakeSession,
  httpDefinition,
  recordStatuses,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { McpManager } from "../src/index.ts";
import { createFixture, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const exited = new McpError("MCP_SERVER_EXITED", 'Server "a" exited with code 1.', { server: "a" });

/** The code of the error that a list asked for ends with. */
const refreshing = async (manager: McpManager) => {
  const code = manager.refreshTools("a", { timeoutMs: 1_000 }).catch((error) => error.code);
  await vi.advanceTimersByTimeAsync(0);
  return code;
};

describe("a lost server", () => {
  it("[R21] comes back by itself, and the next call uses the new connection", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const statuses = recordStatuses(manager);
    const first = sessions.get("a");
    first?.lose(exited);
    await vi.advanceTimersByTimeAsync(1_000);
    await manager.callTool("mcp__a__echo");
    expect(statuses.of("a")).toEqual(["backoff", "connecting", "ready"]);
    expect(first?.requests).toEqual([]);
    expect(sessions.get("a")?.requests).toHaveLength(1);
    await manager.close();
  });

  it("[R22] keeps its tools on offer while it is away", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.lose(exited);
    expect(manager.tools()).toMatchObject([{ name: "mcp__a__echo", origin: "cache" }]);
    expect(manager.servers()).toMatchObject([
      {
        status: "backoff",
        toolsFrom: "cache",
        tools: 1,
        error: { code: "MCP_SERVER_EXITED" },
        retryAt: Date.now(),
      },
    ]);
    await manager.close();
  });

  it("is started again at once if it runs on this machine", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.lose(exited);
    await vi.advanceTimersByTimeAsync(1);
    expect(connector.attempts).toHaveLength(2);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await manager.close();
  });

  it("[R1] that dies after every handshake ends failed and is not started again", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    for (let death = 0; death < 6; death += 1) {
      sessions.get("a")?.lose(exited);
      await vi.advanceTimersToNextTimerAsync();
    }
    expect(manager.servers()).toMatchObject([{ status: "failed" }]);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(connector.attempts).toHaveLength(6);
    await manager.close();
  });

  it("[R9] quiet probes bring a lost server back", async () => {
    const { manager, connector } = createFixture([httpDefinition("a")], { byHand: true });
    const starting = manager.start();
    const session = (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await starting;
    const statuses = recordStatuses(manager);
    session.lose(new McpError("MCP_SESSION_LOST", "gone"));
    for (let attempt = 0; attempt < 7; attempt += 1) {
      await vi.advanceTimersByTimeAsync(30_000);
      (await connector.nextAttempt()).fail(new McpError("MCP_CONNECT_FAILED", "refused"));
    }
    await vi.advanceTimersByTimeAsync(300_000);
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await vi.advanceTimersByTimeAsync(0);
    expect(statuses.of("a").at(-1)).toBe("ready");
    await manager.close();
  });

  it("[R20] [H6] is not taken for lost when an old session says late that it ended", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const old = sessions.get("a");
    await manager.reconnect("a");
    old?.lose(exited);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await manager.close();
  });
});

describe("a remembered handshake", () => {
  it("is not relied on again when the session that rests on it ends before it listed anything", async () => {
    const cache = createFakeToolCache();
    const first = createFixture(["a"], { cache });
    await first.manager.start();
    await first.manager.close();
    const { manager, connector } = createFixture(["a"], {
      byHand: true,
      cache: createFakeToolCache({ entries: cache.entries }),
    });
    await manager.start();
    const outdated = await connector.nextAttempt();
    expect(outdated.options.prior).toBeDefined();
    const session = createFakeSession();
    session.holdLists();
    outdated.open(session);
    await vi.advanceTimersByTimeAsync(0);
    session.lose(new McpError("MCP_SESSION_LOST", "the server was upgraded"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await connector.nextAttempt()).options.prior).toBeUndefined();
    await manager.close();
  });
});

describe("one server's trouble", () => {
  it("leaves the others alone", async () => {
    const { manager, sessions } = createFixture(["a", "b"]);
    await manager.start();
    const statuses = recordStatuses(manager);
    sessions.get("a")?.lose(exited);
    await manager.callTool("mcp__b__echo");
    expect(statuses.of("b")).toEqual([]);
    await manager.close();
  });

  it("[C14] does not take tools from a server whose name begins alike", async () => {
    const { manager } = createFixture(["atlassian", "atlassian:atlassian"]);
    await manager.start();
    await manager.disconnect("atlassian");
    await expect(manager.callTool({ server: "atlassian:atlassian", tool: "echo" })).resolves.toBeDefined();
    await manager.close();
  });

  it("[S6] a listener that throws does not disturb the lifecycle", async () => {
    const { manager } = createFixture(["a"]);
    manager.on("statusChanged", () => {
      throw new Error("listener");
    });
    expect((await manager.start()).ready).toHaveLength(1);
    await manager.close();
  });
});

describe("a changed tool list", () => {
  it("[N12] is on offer when the listener hears of it", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const heard = Promise.withResolvers<readonly string[]>();
    manager.on("toolsChanged", () => heard.resolve(manager.tools().map(({ originalName }) => originalName)));
    sessions.get("a")?.setTools([tool("echo"), tool("added")]);
    sessions.get("a")?.notify({ method: "notifications/tools/list_changed" });
    expect(await heard.promise).toEqual(["added", "echo"]);
    await manager.close();
  });

  it("[L19] costs two lists however often it is announced in a burst", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const session = sessions.get("a");
    for (let time = 0; time < 1_000; time += 1)
      session?.notify({ method: "notifications/tools/list_changed" });
    await vi.advanceTimersByTimeAsync(0);
    expect(session?.listed).toHaveLength(3);
    await manager.close();
  });

  it.each([
    ["on demand", (manager: McpManager) => void manager.reconnect("a")],
    ["because it was lost", (_: McpManager, old: FakeSession) => old.lose(exited)],
  ])("[L20] from a connection that was replaced %s meanwhile is thrown away", async (_, replace) => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const old = (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await starting;
    const late = Promise.withResolvers<Listing>();
    vi.spyOn(old, "list").mockReturnValue(late.promise);
    old.notify({ method: "notifications/tools/list_changed" });
    await vi.advanceTimersByTimeAsync(0);
    expect(old.list).toHaveBeenCalled();
    const next = connector.nextAttempt();
    replace(manager, old);
    await vi.advanceTimersByTimeAsync(1);
    (await next).open(createFakeSession({ tools: [tool("from-the-new-session")] }));
    await vi.advanceTimersByTimeAsync(1);
    late.resolve({ items: [tool("from-the-old-session")] });
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.tools()).toMatchObject([{ originalName: "from-the-new-session" }]);
    await manager.close();
  });

  it("[L21] that cannot be read leaves the previous tools", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.failLists(new McpError("MCP_REQUEST_REJECTED", "no"));
    expect(await refreshing(manager)).toBe("MCP_REQUEST_REJECTED");
    expect(manager.tools()).toHaveLength(1);
    await manager.close();
  });

  it("fails whoever asked for it, at once and with the cause, however many ask", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const session = sessions.get("a");
    const before = session?.listed.length ?? 0;
    session?.failLists(new McpError("MCP_REQUEST_REJECTED", "no"));
    const asked = [0, 1, 2].map(() => refreshing(manager));
    expect(await Promise.all(asked)).toEqual(asked.map(() => "MCP_REQUEST_REJECTED"));
    expect((session?.listed.length ?? 0) - before).toBe(4);
    await manager.close();
  });

  it("is read again when the session was renewed", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.setTools([tool("other")]);
    sessions.get("a")?.renew();
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.tools()).toMatchObject([{ originalName: "other" }]);
    await manager.close();
  });
});

describe("disconnect and reconnect", () => {
  it("[C19] a server that was disconnected stays so, and a call says why", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    await manager.disconnect("a");
    expect(sessions.get("a")?.closed).toBe(true);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(connector.attempts).toHaveLength(1);
    expect(manager.tools()).toEqual([]);
    await expect(manager.callTool({ server: "a", tool: "echo" })).rejects.toMatchObject({
      code: "MCP_CLOSED",
      outcome: "not-sent",
      message: expect.stringContaining("reconnect it"),
    });
    await manager.reconnect("a");
    await expect(manager.callTool({ server: "a", tool: "echo" })).resolves.toBeDefined();
    await manager.close();
  });

  it("[C2] a connection that comes up after the disconnect is closed, and nothing of it is offered", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    void manager.start();
    const attempt = await connector.nextAttempt();
    const disconnecting = manager.disconnect("a");
    const late = attempt.open(createFakeSession({ tools: [tool("echo")] }));
    await disconnecting;
    expect(late.closed).toBe(true);
    expect(manager.tools()).toEqual([]);
    await manager.close();
  });

  it("[R31] a reconnect that stalls ends at the server's connect deadline, and close() is not held up by it", async () => {
    const { manager, connector } = createFixture(["a"], {
      byHand: true,
      limits: { connectTimeoutMs: 3_000 },
    });
    const starting = manager.start();
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await starting;
    const failed = vi.fn();
    void manager.reconnect("a").catch(failed);
    await connector.nextAttempt(); // It never comes to an end.
    await vi.advanceTimersByTimeAsync(2_999);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(failed).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ server: "a", code: "MCP_CALL_TIMEOUT" }),
    );
    await manager.close();
  });

  it("reconnect rejects with the cause if the server does not come up", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).open();
    await starting;
    const reconnecting = manager.reconnect("a");
    (await connector.nextAttempt()).fail(exited);
    await expect(reconnecting).rejects.toBe(exited);
    await manager.close();
  });
});
