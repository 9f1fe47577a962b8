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

/** Calls `refreshTools` and returns the code of the error it rejects with. */
const refreshing = async (manager: McpManager) => {
  const code = manager.refreshTools("a", { timeoutMs: 1_000 }).catch((error) => error.code);
  await vi.advanceTimersByTimeAsync(0);
  return code;
};

describe("a lost server", () => {
  it("[R21] reconnects by itself, and the next call uses the new session", async () => {
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

  it("[R22] keeps offering its tools during backoff", async () => {
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

  it("is restarted at once if it is local", async () => {
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.lose(exited);
    await vi.advanceTimersByTimeAsync(1);
    expect(connector.attempts).toHaveLength(2);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await manager.close();
  });

  it("[R1] ends failed if it dies after every handshake, and is not restarted", async () => {
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

  it("[R20] [H6] the late end of a replaced session does not count as a loss", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const old = sessions.get("a");
    await manager.reconnect("a");
    old?.lose(exited);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await manager.close();
  });
});

describe("a cached handshake", () => {
  it("is not used again if its session ended before listing anything", async () => {
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

describe("isolation", () => {
  it("a lost server does not affect the others", async () => {
    const { manager, sessions } = createFixture(["a", "b"]);
    await manager.start();
    const statuses = recordStatuses(manager);
    sessions.get("a")?.lose(exited);
    await manager.callTool("mcp__b__echo");
    expect(statuses.of("b")).toEqual([]);
    await manager.close();
  });

  it("[C14] disconnecting a server does not affect one with the same name prefix", async () => {
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
  it("[N12] is already offered when toolsChanged is emitted", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const heard = Promise.withResolvers<readonly string[]>();
    manager.on("toolsChanged", () => heard.resolve(manager.tools().map(({ originalName }) => originalName)));
    sessions.get("a")?.setTools([tool("echo"), tool("added")]);
    sessions.get("a")?.notify({ method: "notifications/tools/list_changed" });
    expect(await heard.promise).toEqual(["added", "echo"]);
    await manager.close();
  });

  it("[L19] costs two listings per burst of list_changed", async () => {
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
    ["by reconnect()", (manager: McpManager) => void manager.reconnect("a")],
    ["after a loss", (_: McpManager, old: FakeSession) => old.lose(exited)],
  ])("[L20] is discarded if its session was replaced %s", async (_, replace) => {
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

  it("[L21] that cannot be fetched leaves the previous tools", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    sessions.get("a")?.failLists(new McpError("MCP_REQUEST_REJECTED", "no"));
    expect(await refreshing(manager)).toBe("MCP_REQUEST_REJECTED");
    expect(manager.tools()).toHaveLength(1);
    await manager.close();
  });

  it("that cannot be fetched rejects all concurrent refreshTools() calls with the cause", async () => {
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

  it("is fetched when the session is renewed", async () => {
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
  it("[C19] a disconnected server stays so until reconnect(), and calls say why", async () => {
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

  it("[C2] a session that opens after the disconnect is closed and offers nothing", async () => {
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

  it("[R31] a stalled reconnect rejects at connectTimeoutMs and does not block close()", async () => {
    const { manager, connector } = createFixture(["a"], {
      byHand: true,
      limits: { connectTimeoutMs: 3_000 },
    });
    const starting = manager.start();
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await starting;
    const failed = vi.fn();
    void manager.reconnect("a").catch(failed);
    await connector.nextAttempt(); // This attempt never settles.
    await vi.advanceTimersByTimeAsync(2_999);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(failed).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ server: "a", code: "MCP_CALL_TIMEOUT" }),
    );
    await manager.close();
  });

  it("reconnect() rejects with the cause if the server cannot be connected", async () => {
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
