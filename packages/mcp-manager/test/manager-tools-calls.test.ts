import { getEventListeners } from "node:events";
import {
  type CallMiddleware,
  McpError,
  type ToolAnnotations,
  type ToolDescriptor,
  toolDigest,
} from "@jackfield/mcp-core";
import { type FakeAnswer, passThroughResolver, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "./manager-fixture.ts";
import { startedManager } from "./tools/started-manager.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ECHO = "mcp__a__echo";
const oneTool = new Map([["a", [tool("echo")]]]);
const lost = new McpError("MCP_SESSION_LOST", "gone", { outcome: "not-sent" });
const unknown = new McpError("MCP_OUTCOME_UNKNOWN", "cut off", { outcome: "unknown" });
const busy = new McpError("MCP_TOOL_REJECTED", "busy", {
  outcome: "rejected",
  httpStatus: 429,
  retryAfterMs: 3_000,
});

/** Answers with each of these in turn, then with an empty result. */
function inTurn(...answers: (() => unknown)[]): FakeAnswer {
  const queue = answers.values();
  return async () => queue.next().value?.() ?? { content: [] };
}

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

describe("a call after a failed attempt", () => {
  it("reports the attempt that may have run when a later one could not be sent", async () => {
    const { manager } = await startedManager(oneTool, {
      answer: inTurn(throwing(unknown), throwing(lost), throwing(lost), throwing(lost)),
    });
    const calling = manager.callTool(ECHO, {}, { replay: 1 });
    const settled = expect(calling).rejects.toMatchObject({
      code: "MCP_OUTCOME_UNKNOWN",
      outcome: "unknown",
    });
    await vi.advanceTimersByTimeAsync(10_000);
    await settled;
    await manager.close();
  });

  it.each([
    ["find their session lost", [unknown, lost, unknown, lost], 2],
    ["find the server busy", [busy, unknown, busy, unknown, busy], 2],
  ])("does not count attempts that %s towards replay", async (_title, failures, replay) => {
    const { manager, session } = await startedManager(oneTool, { answer: inTurn(...failures.map(throwing)) });
    const calling = manager.callTool(ECHO, {}, { replay });
    await vi.advanceTimersByTimeAsync(10_000);
    await expect(calling).resolves.toEqual({ content: [] });
    expect(session("a").requests.length).toBeGreaterThan(0);
    await manager.close();
  });

  it.each([
    ["keeps outcome unknown if its caller aborts before the next attempt", unknown, "unknown"],
    ["[T30] rejects with MCP_ABORTED, without another attempt, if aborted meanwhile", lost, "not-sent"],
  ])("%s", async (_title, failure, outcome) => {
    const caller = new AbortController();
    const { manager, session } = await startedManager(oneTool);
    const request = vi.fn(() => {
      caller.abort();
      return Promise.reject(failure);
    });
    Object.assign(session("a"), { request });
    const calling = manager.callTool(ECHO, {}, { replay: 3, signal: caller.signal });
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome });
    expect(request).toHaveBeenCalledOnce();
    await manager.close();
  });

  it("shares timeoutMs and maxTotalMs with the earlier attempt", async () => {
    const { manager, session } = await startedManager(oneTool, { answer: inTurn(throwing(busy)) });
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 10_000, maxTotalMs: 20_000 });
    await vi.advanceTimersByTimeAsync(3_000);
    await calling;
    const limits = session("a").requests.map(({ options }) => [options.timeoutMs, options.maxTotalMs]);
    expect(limits).toEqual([
      [10_000, 20_000],
      [7_000, 17_000],
    ]);
    await manager.close();
  });

  it("[R61] measures its deadline independently of the system clock", async () => {
    const { manager, session } = await startedManager(oneTool, { answer: inTurn(throwing(busy)) });
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 10_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(2_000);
    await calling;
    expect(session("a").requests[1]?.options.timeoutMs).toBe(7_000);
    await manager.close();
  });

  it.each<[string, ToolAnnotations, boolean, number]>([
    ["is not repeated on the readOnlyHint of an untrusted server", { readOnlyHint: true }, false, 1],
    ["is repeated if a trusted server declares the tool idempotent", { idempotentHint: true }, true, 2],
    ["is not repeated if a trusted server declares the tool destructive", { destructiveHint: true }, true, 1],
  ])("%s", async (_title, annotations, trustAnnotations, sent) => {
    const { manager, session } = await startedManager(
      new Map([[stdioDefinition("a", { limits: { trustAnnotations } }), [tool("echo", { annotations })]]]),
      { answer: inTurn(throwing(unknown)) },
    );
    await manager.callTool(ECHO).catch(() => {});
    expect(session("a").requests).toHaveLength(sent);
    await manager.close();
  });
});

describe("call options", () => {
  it("apply maxTotalMs to the wait for a connection as well", async () => {
    const { manager } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const calling = manager.callTool({ server: "a", tool: "echo" }, {}, { timeoutMs: 0, maxTotalMs: 500 });
    const rejected = expect(calling).rejects.toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "not-sent" });
    await vi.advanceTimersByTimeAsync(500);
    await rejected;
    await manager.close();
    await starting.catch(() => {});
  });

  it("start no timer if timeoutMs and maxTotalMs are 0", async () => {
    const answered = Promise.withResolvers<unknown>();
    const { manager, session } = await startedManager(oneTool, { answer: () => answered.promise });
    const timers = vi.getTimerCount();
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 0, maxTotalMs: 0 });
    await vi.advanceTimersByTimeAsync(0);
    expect(session("a").requests[0]?.options).toMatchObject({ timeoutMs: 0, maxTotalMs: 0 });
    expect(vi.getTimerCount()).toBe(timers);
    answered.resolve({ content: [] });
    await calling;
    await manager.close();
  });

  it("cap timeoutMs and maxTotalMs at 2^31-1 ms", async () => {
    const { manager, session } = await startedManager(oneTool);
    await manager.callTool(ECHO, {}, { timeoutMs: 1e12, maxTotalMs: 1e12 });
    expect(session("a").requests[0]?.options).toMatchObject({
      timeoutMs: 2 ** 31 - 1,
      maxTotalMs: 2 ** 31 - 1,
    });
    await manager.close();
  });

  it.each([
    { timeoutMs: Number.NaN },
    { timeoutMs: -1 },
    { timeoutMs: "1" as unknown as number },
    { maxTotalMs: Number.POSITIVE_INFINITY },
    { replay: "trustd" as unknown as "trusted" },
    { replay: -1 },
    { replay: 0.5 },
    { meta: { progress: () => {} } },
  ])("are rejected if invalid: %o", async (options) => {
    const { manager, session } = await startedManager(oneTool);
    await expect(manager.callTool(ECHO, {}, options)).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      outcome: "not-sent",
    });
    expect(session("a").requests).toEqual([]);
    await manager.close();
  });
});

describe("an abort", () => {
  it("[T10] of one of several calls does not affect the others", async () => {
    const answered = Promise.withResolvers<unknown>();
    const { manager } = await startedManager(oneTool, { answer: () => answered.promise });
    const caller = new AbortController();
    const calls = Array.from({ length: 5 }, (_, index) =>
      manager.callTool(ECHO, {}, index === 2 ? { signal: caller.signal } : {}),
    );
    const ended = Promise.allSettled(calls);
    await vi.advanceTimersByTimeAsync(0);
    caller.abort();
    await expect(calls[2]).rejects.toMatchObject({ code: "MCP_ABORTED" });
    answered.resolve({ content: [] });
    const statuses = (await ended).map(({ status }) => status);
    expect(statuses).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"]);
    await manager.close();
  });

  it("[T29] by the server rejects with MCP_OUTCOME_UNKNOWN, not MCP_ABORTED", async () => {
    const cancelled = new McpError("MCP_ABORTED", "the server cancelled it", { outcome: "unknown" });
    const { manager } = await startedManager(oneTool, { answer: throwing(cancelled) });
    const { signal } = new AbortController();
    const calling = manager.callTool(ECHO, {}, { signal });
    await expect(calling).rejects.toMatchObject({
      code: "MCP_OUTCOME_UNKNOWN",
      tool: "echo",
      cause: cancelled,
    });
    await manager.close();
  });

  it("signal has no listeners left after 1,000 calls", async () => {
    const { manager } = await startedManager(oneTool, {
      answer: inTurn(throwing(unknown)),
      use: [(_call, next) => next()],
    });
    const { signal } = new AbortController();
    for (let made = 0; made < 1_000; made += 1) await manager.callTool(ECHO, {}, { signal }).catch(() => {});
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await manager.close();
  });

  it("rejects a call that hangs in middleware", async () => {
    vi.useRealTimers();
    const hang: CallMiddleware = () => new Promise(() => {});
    const { manager, session } = await startedManager(oneTool, { use: [hang] });
    const caller = new AbortController();
    const calling = manager.callTool(ECHO, {}, { signal: caller.signal });
    caller.abort();
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", tool: "echo" });
    expect(session("a").requests).toEqual([]);
    await manager.close();
  });

  it("before the call rejects it without running middleware", async () => {
    const seen = vi.fn<CallMiddleware>((_call, next) => next());
    const { manager } = await startedManager(oneTool, { use: [seen] });
    const calling = manager.callTool(ECHO, {}, { signal: AbortSignal.abort() });
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    expect(seen).not.toHaveBeenCalled();
    await manager.close();
  });

  it("during the wait for a connection is reported as not-sent through middleware", async () => {
    const pass: CallMiddleware = (_call, next) => next();
    const caller = new AbortController();
    const { manager } = createFixture(["a"], { byHand: true, use: [pass], resolve: passThroughResolver });
    const starting = manager.start();
    const calling = manager.callTool({ server: "a", tool: "echo" }, {}, { signal: caller.signal });
    caller.abort();
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    await manager.close();
    await starting.catch(() => {});
  });
});

describe("what is sent with a call", () => {
  it("[T41] includes a separate copy of the caller's meta for each call", async () => {
    const answer: FakeAnswer = (_method, _params, { meta }) => {
      Object.assign(meta?.trace ?? {}, { mine: true });
      return { content: [] };
    };
    const { manager, session } = await startedManager(oneTool, { answer });
    const meta = { trace: { id: "1" } };
    await manager.callTool(ECHO, {}, { meta });
    await manager.callTool(ECHO, {}, { meta });
    expect(meta).toEqual({ trace: { id: "1" } });
    const [first, second] = session("a").requests.map(({ options }) => options.meta);
    expect(first).toEqual({ trace: { id: "1", mine: true } });
    expect(first).not.toBe(second);
    await manager.close();
  });

  it("includes the caller's handlers, onProgress and signal, and the tool definition", async () => {
    const { manager, session } = await startedManager(oneTool);
    const [shown] = manager.tools() as [ToolDescriptor];
    const { signal } = new AbortController();
    const options = { signal, onProgress: () => {}, handlers: {} };
    await manager.callTool(ECHO, {}, { ...options, audience: "model", approved: toolDigest(shown) });
    const [request] = session("a").requests;
    expect(request?.options).toMatchObject(options);
    expect(request?.options.tool?.name).toBe("echo");
    expect(request?.options).not.toHaveProperty("audience");
    await manager.close();
  });
});

describe("middleware", () => {
  it("that returns no result fails the call with MCP_INTERNAL", async () => {
    const mute = (() => Promise.resolve(undefined)) as unknown as CallMiddleware;
    const { manager } = await startedManager(oneTool, { use: [mute] });
    await expect(manager.callTool(ECHO)).rejects.toMatchObject({ code: "MCP_INTERNAL", tool: "echo" });
    await manager.close();
  });

  it("[R60] that throws synchronously fails the call with an McpError", async () => {
    const { manager } = await startedManager(oneTool, { use: [throwing(new TypeError("oops"))] });
    await expect(manager.callTool(ECHO)).rejects.toMatchObject({ name: "McpError", code: "MCP_INTERNAL" });
    await manager.close();
  });

  it("learns of missing arguments by a rejection of next(), not by a throw", async () => {
    const needy = tool("echo", { inputSchema: { type: "object", required: ["path"] } });
    const answer = { content: [{ type: "text" as const, text: "instead" }] };
    const codes: unknown[] = [];
    const rescue: CallMiddleware = (_call, next) =>
      next().catch((error: McpError) => {
        codes.push(error.code);
        return answer;
      });
    const { manager } = await startedManager(new Map([["a", [needy]]]), { use: [rescue] });
    expect(await manager.callTool("mcp__a__echo")).toEqual(answer);
    expect(codes).toEqual(["MCP_ARGUMENTS_INVALID"]);
    await manager.close();
  });

  it("can change arguments before they are checked", async () => {
    const needy = tool("echo", { inputSchema: { type: "object", required: ["path"] } });
    const fill: CallMiddleware = (call, next) => next({ args: { ...call.args, path: "x" } });
    const { manager, session } = await startedManager(new Map([["a", [needy]]]), { use: [fill] });
    await manager.callTool(ECHO);
    expect(session("a").requests[0]?.params.arguments).toEqual({ path: "x" });
    await manager.close();
  });

  it("can add to _meta, and overrides the caller's values", async () => {
    const add: CallMiddleware = (_call, next) => next({ meta: { trace: "t1", tenant: "added" } });
    const { manager, session } = await startedManager(oneTool, { use: [add] });
    await manager.callTool(ECHO, {}, { meta: { own: 1, tenant: "given" } });
    expect(session("a").requests[0]?.options.meta).toEqual({ own: 1, trace: "t1", tenant: "added" });
    await manager.close();
  });
});
