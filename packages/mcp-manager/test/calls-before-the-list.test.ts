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
