import { AsyncLocalStorage } from "node:async_hooks";
import { McpError, type SessionRequestOptions } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { atEnd } from "../cleanup.ts";
import { connect, failureOf } from "../connecting.ts";
import { connectTo, count, never, startRemote } from "../http/remote.ts";
import { received, type Script, type ScriptedOptions, scriptedServer } from "../scripted-server.ts";

/** Keeps every call, and answers the oldest whenever the resource `memo://next` is read; of a call named `refused`, with an error. */
const keeping: Script = (message, { answer, send, process }) => {
  const seen = globalThis as { kept?: { id: unknown; name: string }[] };
  seen.kept ??= [];
  const { name, uri } = message.params ?? {};
  if (message.method === "tools/call") seen.kept.push({ id: message.id, name });
  else if (message.method === "notifications/cancelled")
    seen.kept = seen.kept.filter(({ id }) => id !== message.params.requestId);
  else if (message.method !== "resources/read") return undefined;
  else if (uri === "memo://end") process.exit(9);
  else {
    const { id, name } = seen.kept.shift() ?? {};
    if (name === "refused") send({ id, error: { code: -32000, message: "not today" } });
    else if (id !== undefined) send({ id, result: { content: [], structuredContent: { name } } });
    answer({ contents: [] });
  }
  return true;
};

const NO_LIMITS = { timeoutMs: 0, maxTotalMs: 0 };

async function opened(maxConcurrentCalls: number, options: ScriptedOptions = {}) {
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const server = scriptedServer(keeping, { capabilities, limits: { maxConcurrentCalls }, ...options });
  const session = await connect(server);
  const call = (name: string, more: SessionRequestOptions = {}) =>
    session.request("tools/call", { name }, { ...NO_LIMITS, ...more });
  const next = () => session.request("resources/read", { uri: "memo://next" });
  /** The calls that the server has received: a later request is read after all that was written before it. */
  const sent = async () => {
    await session.list("tools", { signal: never });
    return server.received().flatMap(({ method, params }) => (method === "tools/call" ? [params.name] : []));
  };
  return { server, session, call, next, sent };
}

describe.concurrent.each([
  ["legacy", {}],
  ["modern", { isModern: true }],
])("with maxConcurrentCalls, a session with a %s server", (name, era) => {
  test("sends as many calls at a time, and the others in order as these are answered", async () => {
    const { call, next, sent } = await opened(2, era);
    const calls = ["a", "b", "c", "d", "e"].map((tool) => call(tool));
    expect(await sent()).toEqual(["a", "b"]);
    await next();
    expect(await sent()).toEqual(["a", "b", "c"]);
    await next();
    await next();
    expect(await sent()).toEqual(["a", "b", "c", "d", "e"]);
    await next();
    await next();
    const results = await Promise.all(calls);
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual(
      ["a", "b", "c", "d", "e"].map((name) => ({ name })),
    );
  });

  test("sends everything else at once while calls wait", async () => {
    const { server, session, call, next, sent } = await opened(1, era);
    const calls = [call("a"), call("b")];
    await session.list("prompts", { signal: never });
    if (name === "legacy") await session.request("ping", undefined);
    expect(await sent()).toEqual(["a"]);
    expect(server.received().map(({ method }) => method)).toContain("prompts/list");
    await next();
    await next();
    await Promise.all(calls);
  });

  test("does not send a call that was aborted while it waited, nor its cancellation", async () => {
    const { server, call, next, sent } = await opened(1, era);
    const caller = new AbortController();
    const [first, second, third] = [call("a"), call("b", { signal: caller.signal }), call("c")];
    caller.abort();
    const error = await failureOf(second);
    expect(error).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent", tool: "b" });
    await next();
    await next();
    await Promise.all([first, third]);
    expect(await sent()).toEqual(["a", "c"]);
    expect(server.received().map(({ method }) => method)).not.toContain("notifications/cancelled");
  });

  test("sends none of the calls that one signal ends together with the call before them", async () => {
    const { server, call, sent } = await opened(1, era);
    const caller = new AbortController();
    const signal = AbortSignal.any([caller.signal]);
    const [first, ...waiting] = ["a", "b", "c"].map((tool) => failureOf(call(tool, { signal })));
    await received(server, "tools/call");
    caller.abort();
    expect(await first).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
    for (const error of await Promise.all(waiting))
      expect(error).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    expect(await sent()).toEqual(["a"]);
  });

  test("sends the next call once one was cancelled or refused, before any that is made then", async () => {
    const { server, call, next, sent } = await opened(1, era);
    const caller = new AbortController();
    const [first, second, third] = [call("a", { signal: caller.signal }), call("refused"), call("c")];
    await received(server, "tools/call");
    caller.abort();
    const fourth = call("d");
    expect(await failureOf(first)).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
    expect(await sent()).toEqual(["a", "refused"]);
    const methods = server.received().map(({ method }) => method);
    expect(methods.indexOf("notifications/cancelled")).toBeLessThan(methods.lastIndexOf("tools/call"));
    await next();
    expect(await failureOf(second)).toMatchObject({ code: "MCP_TOOL_REJECTED" });
    await next();
    expect((await third).structuredContent).toEqual({ name: "c" });
    await next();
    await fourth;
    expect(await sent()).toEqual(["a", "refused", "c", "d"]);
  });

  test("sends none of the calls that wait when the server ends, and the error says so", async () => {
    const { server, session, call } = await opened(1, era);
    const [first, ...waiting] = [call("a"), call("b"), call("c")].map(failureOf);
    await received(server, "tools/call");
    session.request("resources/read", { uri: "memo://end" }).catch(() => {});
    expect(await first).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    for (const error of await Promise.all(waiting))
      expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "not-sent" });
    expect(server.received().filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });

  test("sends none of the calls that wait when the host closes it", async () => {
    const { server, session, call } = await opened(1, era);
    const [first, second] = [call("a"), call("b")].map(failureOf);
    await received(server, "tools/call");
    await session.close();
    expect(await first).toMatchObject({ code: "MCP_CLOSED", outcome: "unknown" });
    expect(await second).toMatchObject({ code: "MCP_CLOSED", outcome: "not-sent" });
    expect(server.received().filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });

  test("sends the next call once one has timed out", async () => {
    const { call, next } = await opened(1, era);
    const [first, second] = [call("a", { timeoutMs: 30 }), call("b")];
    expect(await failureOf(first)).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    await next();
    expect((await second).structuredContent).toEqual({ name: "b" });
  });

  test("sends a call in the asynchronous context of its own caller", async () => {
    const caller = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const server = scriptedServer(keeping, { ...era, limits: { maxConcurrentCalls: 1 } });
    const session = await connect(server, {
      trace: ({ method }) => {
        if (method === "tools/call") seen.push(caller.getStore());
        return { within: (send) => send(), ended() {} };
      },
    });
    const calls = ["ann", "bob"].map((name) =>
      caller.run(name, () => session.request("tools/call", { name }, NO_LIMITS)),
    );
    for (let answered = 0; answered < 2; answered += 1)
      await session.request("resources/read", { uri: "memo://next" });
    await Promise.all(calls);
    expect(seen).toEqual(["ann", "bob"]);
  });
});

describe("with maxConcurrentCalls, a session", () => {
  test("begins the idle deadline of a call with its turn", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { call, next, sent } = await opened(1);
      const first = call("a");
      const second = failureOf(call("b", { timeoutMs: 1000 }));
      expect(await sent()).toEqual(["a"]);
      vi.advanceTimersByTime(100_000);
      await next();
      await first;
      expect(await sent()).toEqual(["a", "b"]);
      vi.advanceTimersByTime(999);
      expect(await sent()).toEqual(["a", "b"]);
      vi.advanceTimersByTime(1);
      const error = await second;
      expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown", tool: "b" });
      expect(error.message).toContain("within 1000 ms without progress");
    } finally {
      vi.useRealTimers();
    }
  });

  test("ends a call that waits longer than its total deadline, and says what it waited for", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { call, next, sent } = await opened(1);
      const first = call("a");
      const second = failureOf(call("b", { maxTotalMs: 30 }));
      vi.advanceTimersByTime(30);
      const error = await second;
      expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "not-sent", tool: "b" });
      expect(error.message).toBe(
        'Server "scripted" was not sent the call of tool "b" within 30 ms: it waited for its turn, because "maxConcurrentCalls" in the server\'s limits is 1. Call again later, or raise that limit if the server can do more at a time.',
      );
      await next();
      await first;
      expect(await sent()).toEqual(["a"]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("sends none of the calls whose total deadline ends with that of the call before them", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { call, sent } = await opened(1);
      const [first, ...waiting] = ["a", "b", "c"].map((tool) => failureOf(call(tool, { maxTotalMs: 50 })));
      expect(await sent()).toEqual(["a"]);
      vi.advanceTimersByTime(50);
      expect(await first).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
      for (const error of await Promise.all(waiting))
        expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "not-sent" });
      expect(await sent()).toEqual(["a"]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("keeps the process alive while a call waits that has a deadline, and no longer", async () => {
    const set = vi.spyOn(globalThis, "setTimeout");
    atEnd(() => set.mockRestore());
    const { session, call, next } = await opened(1);
    const awaited = () => set.mock.results.filter(({ value }) => (value as NodeJS.Timeout).hasRef()).length;
    const idle = awaited();
    const calls = [call("a"), call("b", { maxTotalMs: 600_000 })];
    await session.request("ping", undefined, NO_LIMITS);
    expect(awaited()).toBe(idle + 1);
    await next();
    await next();
    await Promise.all(calls);
    expect(awaited()).toBe(idle);
  });

  test("sends no other call between the rounds of one that asks for input", async () => {
    const server = scriptedServer(
      (message, { send, answer }) => {
        if (message.method !== "tools/call") return undefined;
        const { name, requestState = "" } = message.params;
        const params = {
          mode: "form",
          message: "Which?",
          requestedSchema: { type: "object", properties: {} },
        };
        const inputRequests = { q: { method: "elicitation/create", params } };
        const result = { resultType: "input_required", inputRequests, requestState: `${requestState}.` };
        if (name !== "asking" || requestState === "..") answer({ content: [] });
        else send({ id: message.id, result });
        return true;
      },
      { isModern: true, limits: { maxConcurrentCalls: 1 } },
    );
    const sentWhenAsked: string[][] = [];
    const elicit = async () => {
      await session.list("tools", { signal: never });
      sentWhenAsked.push(sent());
      return { action: "decline" } as const;
    };
    const session = await connect(server, { handlers: { elicit } });
    const sent = () =>
      server.received().flatMap(({ method, params }) => (method === "tools/call" ? params.name : []));
    await Promise.all(["asking", "other"].map((name) => session.request("tools/call", { name })));
    expect(sentWhenAsked).toEqual([["asking"], ["asking", "asking"]]);
    expect(sent()).toEqual(["asking", "asking", "asking", "other"]);
  });

  test("refuses any number of calls in a row whose callers no longer want them", async () => {
    const { call, next, sent } = await opened(1);
    const gone = new McpError("MCP_TOOL_UNKNOWN", "gone", { server: "scripted", outcome: "not-sent" });
    const first = call("a");
    const refused = Array.from({ length: 5_000 }, () => failureOf(call("b", { refusal: () => gone })));
    const last = call("c");
    await next();
    await first;
    for (const error of await Promise.all(refused)) expect(error.code).toBe("MCP_TOOL_UNKNOWN");
    expect(await sent()).toEqual(["a", "c"]);
    await next();
    await last;
  });

  test.each([0.5, 1.9])("takes %s as one at a time", async (limit) => {
    const { call, next, sent } = await opened(limit);
    const calls = [call("a"), call("b")];
    expect(await sent()).toEqual(["a"]);
    await next();
    await next();
    await Promise.all(calls);
  });

  test.each([0, undefined])("of %s sends all calls at once", async (limit) => {
    const { call, next, sent } = await opened(0, { limits: { maxConcurrentCalls: limit } });
    const calls = ["a", "b", "c"].map((name) => call(name));
    expect(await sent()).toEqual(["a", "b", "c"]);
    for (const _ of calls) await next();
    await Promise.all(calls);
  });
});

test.each([
  ["http", "json", "legacy"],
  ["http", "sse", "legacy"],
  ["http", "json", "modern"],
  ["http", "sse", "modern"],
  ["sse", "legacy-sse", "legacy"],
] as const)("maxConcurrentCalls holds over %s with answers as %s, %s", async (transport, answer, era) => {
  const remote = await startRemote({ answer, era, silentOn: ["tools/call"] });
  const session = await connectTo(remote, { transport, limits: { maxConcurrentCalls: 2 } });
  const caller = new AbortController();
  const call = (signal?: AbortSignal) =>
    failureOf(session.request("tools/call", { name: "echo" }, { ...NO_LIMITS, signal }));
  const [first, ...others] = [call(caller.signal), call(), call(), call()];
  await remote.until(() => count(remote, "tools/call") === 2);
  await session.list("tools", { signal: never });
  expect(count(remote, "tools/call")).toBe(2);
  caller.abort();
  expect(await first).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
  await remote.until(() => count(remote, "tools/call") === 3);
  await session.close();
  const outcomes = (await Promise.all(others)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["unknown", "unknown", "not-sent"]);
  expect(count(remote, "tools/call")).toBe(3);
});
