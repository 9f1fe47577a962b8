import { type CallMiddleware, McpError } from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, only, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ECHO = { server: "a", tool: "echo" };
const READING = tool("echo", { annotations: { readOnlyHint: true } });
const DESTROYING = tool("echo", { annotations: { destructiveHint: true } });
const crash = new McpError("MCP_SERVER_EXITED", "the process ended", { server: "a" });
const refusal = new McpError("MCP_REQUEST_REJECTED", "no lists here", { rpcCode: -32603 });

/** A manager whose server was lost. Its tools stay cached until the session that `openNext` opens has listed them. */
async function withCachedTools(use: readonly CallMiddleware[] = []) {
  const { manager, connector } = createFixture(["a"], { byHand: true, use });
  const starting = manager.start();
  const first = (await connector.nextAttempt()).open(createFakeSession({ tools: [READING] }));
  await starting;
  first.lose(crash);
  expect(only(manager.tools()).origin).toBe("cache");
  const openNext = async (session: FakeSession) => {
    const attempt = connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(3_000);
    (await attempt).open(session);
    await vi.advanceTimersByTimeAsync(0);
    return session;
  };
  return { manager, connector, openNext };
}

describe("a reconnected server that cannot list its tools", () => {
  it("gets a waiting call after half of its deadline, and is not listed again", async () => {
    const { manager, openNext } = await withCachedTools();
    const session = createFakeSession();
    session.holdLists();
    await openNext(session);
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 10_000 });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(session.requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await calling;
    expect(only(session.requests).options.timeoutMs).toBe(5_000);
    await Promise.all([1, 2].map(() => manager.callTool(ECHO, {}, { timeoutMs: 10_000 })));
    const patient = manager.callTool(ECHO, {}, { timeoutMs: 30_000 }); // It waits for the list for 10 s more.
    await vi.advanceTimersByTimeAsync(9_999);
    expect(session.requests).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    await patient;
    expect(session.listed).toHaveLength(1);
    await manager.close();
  });

  it("is not listed again by calls after it rejected tools/list, only after list_changed", async () => {
    const { manager, openNext } = await withCachedTools();
    const session = createFakeSession({ tools: [DESTROYING] });
    session.failLists(refusal);
    await openNext(session);
    const asked = session.listed.length;
    for (const _ of [1, 2, 3]) await manager.callTool(ECHO);
    expect(session.listed).toHaveLength(asked);
    session.failLists(undefined);
    session.notify({ method: "notifications/tools/list_changed" });
    const reading = manager.view({
      tools: ({ definition }) => definition.annotations?.readOnlyHint === true,
    });
    const calling = expect(reading.callTool(ECHO)).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN" });
    await vi.advanceTimersByTimeAsync(10_000);
    await calling;
    expect(session.requests).toHaveLength(3);
    await manager.close();
  });

  it("does not get a call that was aborted while it waited for the list", async () => {
    const { manager, openNext } = await withCachedTools();
    const session = createFakeSession();
    session.holdLists();
    await openNext(session);
    const caller = new AbortController();
    const aborted = { code: "MCP_ABORTED", outcome: "not-sent" };
    const calling = expect(manager.callTool(ECHO, {}, { signal: caller.signal })).rejects.toMatchObject(
      aborted,
    );
    await vi.advanceTimersByTimeAsync(100);
    caller.abort();
    await calling;
    expect(session.requests).toEqual([]);
    await manager.close();
  });
});

describe("a reconnected server whose tools/list breaks off", () => {
  const brokenOff = new McpError("MCP_SESSION_LOST", "reset by peer", { outcome: "unknown" });

  it("gets the call on the same session, and other requests go on", async () => {
    const long = Promise.withResolvers<unknown>();
    const { manager, connector, openNext } = await withCachedTools();
    const session = createFakeSession({
      answer: (_method, { arguments: args }) => (args === undefined ? long.promise : { content: [] }),
    });
    session.failLists(brokenOff);
    await openNext(session);
    const reading = manager.readResource("a", "file:///a");
    const calling = manager.callTool(ECHO);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await calling).toEqual({ content: [] });
    const asked = session.listed.length;
    await manager.callTool(ECHO);
    expect([asked, session.listed.length]).toEqual([2, 2]);
    long.resolve({ contents: [] });
    expect(await reading).toEqual({ contents: [] });
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });
});

describe("[T78] a call made while the server's tools are being listed", () => {
  it("waits for half of its own deadline, however long the listing has taken", async () => {
    const judged: unknown[] = [];
    const judge: CallMiddleware = ({ tool: { definition } }, next) => {
      judged.push(definition.annotations);
      return next();
    };
    const { manager, openNext } = await withCachedTools([judge]);
    const session = createFakeSession({ tools: [DESTROYING] });
    const release = session.holdLists();
    await openNext(session);
    await vi.advanceTimersByTimeAsync(1_300);
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 2_400 });
    await vi.advanceTimersByTimeAsync(200);
    release();
    await vi.advanceTimersByTimeAsync(0);
    await calling;
    expect(judged).toEqual([{ destructiveHint: true }]);
    await manager.close();
  });

  it("is not sent if the new list changes the tool while middleware holds the call", async () => {
    const judged: unknown[] = [];
    const approve: CallMiddleware = async ({ tool: { definition } }, next) => {
      judged.push(definition.annotations);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return next();
    };
    const { manager, openNext } = await withCachedTools([approve]);
    const session = createFakeSession({ tools: [DESTROYING] });
    const release = session.holdLists();
    await openNext(session);
    const refused = expect(manager.callTool(ECHO, {}, { timeoutMs: 2_000 })).rejects.toMatchObject({
      ...ECHO,
      code: "MCP_TOOL_CHANGED",
      outcome: "not-sent",
    });
    await vi.advanceTimersByTimeAsync(1_500);
    release();
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
    expect(session.requests).toEqual([]);
    const calling = manager.callTool(ECHO);
    await vi.advanceTimersByTimeAsync(1_000);
    await calling;
    expect(judged).toEqual([{ readOnlyHint: true }, { destructiveHint: true }]);
    await manager.close();
  });

  it("starts no listing on a session that is replaced in the same tick", async () => {
    const { manager, openNext } = await withCachedTools();
    const first = createFakeSession();
    first.holdLists();
    await openNext(first);
    const calling = manager.callTool(ECHO);
    const reconnecting = manager.reconnect("a");
    await openNext(createFakeSession({ tools: [READING] }));
    await Promise.all([calling, reconnecting]);
    expect(first.listed).toHaveLength(1);
    await manager.close();
  });
});

describe("[T78] a call whose server is lost again during tools/list", () => {
  it.each([
    ["reports its end", true, new McpError("MCP_SESSION_LOST", "it ended", { outcome: "unknown" })],
    [
      "ends after exceeding a limit",
      true,
      new McpError("MCP_LIMIT_EXCEEDED", "too large", { outcome: "unknown" }),
    ],
    [
      "is unreachable but reports no end",
      false,
      new McpError("MCP_SESSION_LOST", "refused", { outcome: "not-sent" }),
    ],
  ])("is judged by the next session's list if the session %s", async (_title, reportsEnd, error) => {
    const judged: unknown[] = [];
    const judge: CallMiddleware = ({ tool: { definition } }, next) => {
      judged.push(definition.annotations);
      return next();
    };
    const { manager, openNext } = await withCachedTools([judge]);
    const dying = createFakeSession();
    const calling = manager.callTool(ECHO);
    dying.list = async () => {
      if (reportsEnd) setImmediate(() => dying.lose(crash));
      throw error;
    };
    await openNext(dying);
    const next = await openNext(createFakeSession({ tools: [DESTROYING] }));
    await vi.advanceTimersByTimeAsync(10_000);
    await calling;
    expect(judged).toEqual([{ destructiveHint: true }]);
    expect([dying.requests.length, next.requests.length]).toEqual([0, 1]);
    await manager.close();
  });
});

describe("a tool that its server no longer lists", () => {
  it("is rejected after a reconnect, and middleware may replace the error", async () => {
    const why = new McpError("MCP_TOOL_CHANGED", "withheld", { outcome: "not-sent" });
    const asked: unknown[] = [];
    const use: CallMiddleware[] = [
      ({ tool: { origin }, args }, next) => {
        asked.push(origin);
        return args.why === true ? Promise.reject(why) : next();
      },
    ];
    const { manager, openNext } = await withCachedTools(use);
    const { name } = only(manager.tools());
    const calls = [
      expect(manager.callTool(name)).rejects.toMatchObject({
        ...ECHO,
        code: "MCP_TOOL_UNKNOWN",
        outcome: "not-sent",
      }),
      expect(manager.callTool(name, { why: true })).rejects.toBe(why),
      expect(manager.view({}).callTool(name, { why: true })).rejects.toBe(why),
    ];
    const session = await openNext(createFakeSession({ tools: [tool("other")] }));
    await Promise.all(calls);
    expect(asked).toEqual(["cache", "cache", "cache"]);
    expect(session.requests).toEqual([]);
    await manager.close();
  });

  it("is not called if it disappears from a live server while middleware runs", async () => {
    const relist: CallMiddleware = async (_call, next) => {
      only(sessions.values()).setTools([]);
      await manager.refreshTools("a");
      return next();
    };
    const { manager, sessions } = createFixture(["a"], { use: [relist] });
    await manager.start();
    await expect(manager.callTool(ECHO)).rejects.toMatchObject({
      code: "MCP_TOOL_UNKNOWN",
      outcome: "not-sent",
    });
    expect(manager.tools()).toEqual([]);
    expect(only(sessions.values()).requests).toEqual([]);
    await manager.close();
  });
});
