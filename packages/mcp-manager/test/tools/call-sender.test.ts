import { type CallMiddleware, McpError } from "@jackfield/mcp-core";
import { createFakeSession, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "../manager-fixture.ts";
import { startedManager } from "./started-manager.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ECHO = { server: "a", tool: "echo" };
const oneTool = new Map([["a", [tool("echo")]]]);
const broken = new McpError("MCP_SESSION_LOST", "refused", { server: "a", outcome: "not-sent" });
const busy = new McpError("MCP_TOOL_REJECTED", "busy", {
  outcome: "rejected",
  httpStatus: 429,
  retryAfterMs: 50,
});

/** Answers the calls that say `long` when the test ends, and the others with each of these errors in turn. */
function failing(...errors: McpError[]) {
  const long = Promise.withResolvers<unknown>();
  const answer = (method: string, params: { readonly arguments?: unknown }) => {
    if (method !== "tools/call" || JSON.stringify(params.arguments) === '{"long":true}') return long.promise;
    const error = errors.shift();
    if (error !== undefined) throw error;
    return { content: [] };
  };
  return { answer, finish: () => long.resolve({ content: [] }) };
}

describe("a call whose connection breaks before it is sent", () => {
  it("is repeated after a 404 if its session was renewed before it, in the same turn", async () => {
    const forgotten = new McpError("MCP_SESSION_LOST", "forgotten", {
      ...{ server: "a", outcome: "not-sent", httpStatus: 404 },
    });
    const { answer } = failing(forgotten);
    const { manager, session } = await startedManager(oneTool, { answer });
    const first = session("a");
    first.renew();
    const calling = manager.callTool(ECHO);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await calling).toEqual({ content: [] });
    expect(first.requests).toHaveLength(2);
    await manager.close();
  });

  it("is not repeated on a session that reports its end a moment later", async () => {
    const answer = () => {
      setImmediate(() => first.lose(broken));
      throw broken;
    };
    const { manager, session, connector } = await startedManager(oneTool);
    const first = createFakeSession({ tools: [tool("echo")], answer });
    Object.assign(session("a"), { request: first.request.bind(first) });
    first.onClose((cause) => cause && session("a").lose(cause));
    const calling = manager.callTool(ECHO);
    await vi.advanceTimersByTimeAsync(1_000);
    await calling;
    expect(first.requests).toHaveLength(1);
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("[T30] is not repeated if the caller aborts a moment later", async () => {
    const caller = new AbortController();
    const answer = () => {
      setImmediate(() => caller.abort());
      throw broken;
    };
    const { manager, session } = await startedManager(oneTool, { answer });
    const aborted = { code: "MCP_ABORTED", outcome: "not-sent" };
    const calling = expect(manager.callTool(ECHO, {}, { signal: caller.signal })).rejects.toMatchObject(
      aborted,
    );
    await vi.advanceTimersByTimeAsync(1_000);
    await calling;
    expect(session("a").requests).toHaveLength(1);
    await manager.close();
  });

  it.each([
    ["after a busy answer", [busy, broken]],
    ["before a busy answer", [broken, busy]],
    ["before and after a busy answer", [broken, busy, broken]],
  ])("keeps the session for other calls if it breaks %s", async (_title, errors) => {
    const { answer, finish } = failing(...errors);
    const { manager, connector } = await startedManager(oneTool, { answer });
    const other = manager.callTool(ECHO, { long: true });
    const calling = manager.callTool(ECHO);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await calling).toEqual({ content: [] });
    finish();
    expect(await other).toEqual({ content: [] });
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });

  it("ends the session if it breaks twice in a row; other requests reject with an unknown outcome", async () => {
    const { answer } = failing(broken, broken);
    const { manager, connector } = await startedManager(oneTool, { answer });
    const reading = expect(manager.readResource("a", "file:///a")).rejects.toMatchObject({
      code: "MCP_SESSION_LOST",
      outcome: "unknown",
    });
    const other = expect(manager.callTool(ECHO, { long: true })).rejects.toMatchObject({
      ...ECHO,
      code: "MCP_OUTCOME_UNKNOWN",
      outcome: "unknown",
    });
    const calling = manager.callTool(ECHO);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([calling, other, reading]);
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it.each([
    [1, ["is repeated", 2]],
    [0, ["MCP_SESSION_LOST", 1]],
  ])(
    "with maxConcurrentCalls %d, after it waited longer than a server may be silent: %j",
    async (limit, expected) => {
      const turn = Promise.withResolvers<never>();
      let sent = 0;
      const answer = () => {
        sent += 1;
        return sent === 1 ? turn.promise : { content: [] };
      };
      const limits = { maxConcurrentCalls: limit, callTimeoutMs: 1_000 };
      const { manager } = await startedManager(oneTool, { answer, limits });
      const calling = manager.callTool(ECHO).then(
        () => "is repeated",
        ({ code }: McpError) => code,
      );
      await vi.advanceTimersByTimeAsync(5_000);
      turn.reject(broken);
      await vi.advanceTimersByTimeAsync(1_000);
      expect([await calling, sent]).toEqual(expected);
      await manager.close();
    },
  );

  it("is tried three times at most", async () => {
    const { answer } = failing(broken, broken, broken);
    const { manager, connector } = await startedManager(oneTool, { answer });
    const rejected = expect(manager.callTool(ECHO)).rejects.toMatchObject({
      ...ECHO,
      code: "MCP_SESSION_LOST",
    });
    await vi.advanceTimersByTimeAsync(10_000);
    await rejected;
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("counts its tries from one again after an attempt that may have run", async () => {
    const cutOff = new McpError("MCP_OUTCOME_UNKNOWN", "cut off", { outcome: "unknown" });
    const { answer } = failing(busy, broken, broken, cutOff, broken, broken);
    const { manager } = await startedManager(oneTool, { answer });
    const calling = manager.callTool(ECHO, {}, { replay: 1 });
    calling.catch(() => {});
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await calling).toEqual({ content: [] });
    await manager.close();
  });

  it("ends a borrowed session at its lender, so that later calls use a new one", async () => {
    const shared = { ...stdioDefinition("a"), shared: true };
    const { manager, connector } = createFixture([shared], { byHand: true });
    const starting = manager.start();
    const { answer } = failing(broken, broken);
    const capabilities = { tools: {} };
    const first = createFakeSession({ tools: [tool("echo")], answer, handshake: { capabilities } });
    (await connector.nextAttempt()).open(first);
    await starting;
    const [ann, bob] = [manager.forPrincipal("ann"), manager.forPrincipal("bob")];
    await Promise.all([ann.start(), bob.start()]);
    const theirs = expect(bob.callTool(ECHO, { long: true })).rejects.toMatchObject({
      code: "MCP_OUTCOME_UNKNOWN",
    });
    const calling = ann.callTool(ECHO);
    await vi.advanceTimersByTimeAsync(1_000);
    await theirs;
    expect(first.closed).toBe(true);
    const second = (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([calling, bob.callTool(ECHO)]);
    expect(second.requests).toHaveLength(2);
    await manager.close();
  });
});

describe("a call whose session rejects it without an outcome", () => {
  const vague = new McpError("MCP_TOOL_REJECTED", "refused", { server: "a" });
  const passOn: CallMiddleware = (_call, next) => next();

  it.each<[string, readonly CallMiddleware[]]>([
    ["without middleware", []],
    ["behind middleware that only passes it on", [passOn]],
  ])("may have been carried out, %s", async (_title, use) => {
    const { manager } = await startedManager(oneTool, { answer: failing(vague).answer, use });
    await expect(manager.callTool(ECHO)).rejects.toMatchObject({
      code: "MCP_TOOL_REJECTED",
      outcome: "unknown",
      tool: "echo",
    });
    await manager.close();
  });
});
