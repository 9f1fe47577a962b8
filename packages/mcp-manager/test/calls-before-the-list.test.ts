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

/** A server that was lost, and whose tools are remembered until the next session, which the test opens, lists them. */
async function remembered(use: readonly CallMiddleware[] = []) {
  const { manager, connector } = createFixture(["a"], { byHand: true, use });
  const starting = manager.start();
  const first = (await connector.nextAttempt()).open(createFakeSession({ tools: [READING] }));
  await starting;
  first.lose(crash);
  expect(only(manager.tools()).origin).toBe("cache");
  const opens = async (session: FakeSession) => {
    const attempt = connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(3_000);
    (await attempt).open(session);
    await vi.advanceTimersByTimeAsync(0);
    return session;
  };
  return { manager, connector, opens };
}

describe("a server that is there again and cannot list its tools", () => {
  it("is called by half of the call's time, and those that come later at once, without being asked again", async () => {
    const { manager, opens } = await remembered();
    const session = createFakeSession();
    session.holdLists();
    await opens(session);
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 10_000 });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(session.requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await calling;
    expect(only(session.requests).options.timeoutMs).toBe(5_000);
    await Promise.all([1, 2].map(() => manager.callTool(ECHO, {}, { timeoutMs: 10_000 })));
    const patient = manager.callTool(ECHO, {}, { timeoutMs: 30_000 }); // It has patience for ten seconds more.
    await vi.advanceTimersByTimeAsync(9_999);
    expect(session.requests).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    await patient;
    expect(session.listed).toHaveLength(1);
    await manager.close();
  });

  it("is not asked again by a call once it has refused, and is when it says that there is another list", async () => {
    const { manager, opens } = await remembered();
    const session = createFakeSession({ tools: [DESTROYING] });
    session.failLists(refusal);
    await opens(session);
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

  it("is not called for whoever gives up meanwhile", async () => {
    const { manager, opens } = await remembered();
    const session = createFakeSession();
    session.holdLists();
    await opens(session);
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

describe("a server that is there again and whose list breaks off", () => {
  const brokenOff = new McpError("MCP_SESSION_LOST", "reset by peer", { outcome: "unknown" });

  it("is called over the session that goes on, and nobody else loses his call", async () => {
    const long = Promise.withResolvers<unknown>();
    const { manager, connector, opens } = await remembered();
    const session = createFakeSession({
      answer: (_method, { arguments: args }) => (args === undefined ? long.promise : { content: [] }),
    });
    session.failLists(brokenOff);
    await opens(session);
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

describe("[T78] a call that is found while the server is being listed", () => {
  it("is given its own half of its time, however long the list has taken already", async () => {
    const judged: unknown[] = [];
    const judge: CallMiddleware = ({ tool: { definition } }, next) => {
      judged.push(definition.annotations);
      return next();
    };
    const { manager, opens } = await remembered([judge]);
    const session = createFakeSession({ tools: [DESTROYING] });
    const release = session.holdLists();
    await opens(session);
    await vi.advanceTimersByTimeAsync(1_300);
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 2_400 });
    await vi.advanceTimersByTimeAsync(200);
    release();
    await vi.advanceTimersByTimeAsync(0);
    await calling;
    expect(judged).toEqual([{ destructiveHint: true }]);
    await manager.close();
  });

  it("is not sent where the list has come, with another tool, while middleware had the call", async () => {
    const judged: unknown[] = [];
    const approve: CallMiddleware = async ({ tool: { definition } }, next) => {
      judged.push(definition.annotations);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return next();
    };
    const { manager, opens } = await remembered([approve]);
    const session = createFakeSession({ tools: [DESTROYING] });
    const release = session.holdLists();
    await opens(session);
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

  it("lists no session that is replaced in the same turn", async () => {
    const { manager, opens } = await remembered();
    const first = createFakeSession();
    first.holdLists();
    await opens(first);
    const calling = manager.callTool(ECHO);
    const reconnecting = manager.reconnect("a");
    await opens(createFakeSession({ tools: [READING] }));
    await Promise.all([calling, reconnecting]);
    expect(first.listed).toHaveLength(1);
    await manager.close();
  });
});

describe("[T78] a call whose server is lost again while it lists", () => {
  it.each([
    ["says so", true, new McpError("MCP_SESSION_LOST", "it ended", { outcome: "unknown" })],
    ["ends because of it", true, new McpError("MCP_LIMIT_EXCEEDED", "too large", { outcome: "unknown" })],
    [
      "has lost its connection only",
      false,
      new McpError("MCP_SESSION_LOST", "refused", { outcome: "not-sent" }),
    ],
  ])("is judged by the next list: a session that %s", async (_title, isTold, error) => {
    const judged: unknown[] = [];
    const judge: CallMiddleware = ({ tool: { definition } }, next) => {
      judged.push(definition.annotations);
      return next();
    };
    const { manager, opens } = await remembered([judge]);
    const dying = createFakeSession();
    const calling = manager.callTool(ECHO);
    dying.list = async () => {
      if (isTold) setImmediate(() => dying.lose(crash));
      throw error;
    };
    await opens(dying);
    const next = await opens(createFakeSession({ tools: [DESTROYING] }));
    await vi.advanceTimersByTimeAsync(10_000);
    await calling;
    expect(judged).toEqual([{ destructiveHint: true }]);
    expect([dying.requests.length, next.requests.length]).toEqual([0, 1]);
    await manager.close();
  });
});

describe("a remembered tool that is gone when its server is there again", () => {
  it("is refused, and its middleware may say why", async () => {
    const why = new McpError("MCP_TOOL_CHANGED", "withheld", { outcome: "not-sent" });
    const asked: unknown[] = [];
    const use: CallMiddleware[] = [
      ({ tool: { origin }, args }, next) => {
        asked.push(origin);
        return args.why === true ? Promise.reject(why) : next();
      },
    ];
    const { manager, opens } = await remembered(use);
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
    const session = await opens(createFakeSession({ tools: [tool("other")] }));
    await Promise.all(calls);
    expect(asked).toEqual(["cache", "cache", "cache"]);
    expect(session.requests).toEqual([]);
    await manager.close();
  });

  it("is not what a tool is that its server lists no longer: there the server decides", async () => {
    const relist: CallMiddleware = async (_call, next) => {
      only(sessions.values()).setTools([]);
      await manager.refreshTools("a");
      return next();
    };
    const { manager, sessions } = createFixture(["a"], { use: [relist] });
    await manager.start();
    await manager.callTool(ECHO);
    expect(manager.tools()).toEqual([]);
    expect(only(sessions.values()).requests).toHaveLength(1);
    await manager.close();
  });
});
