import { type CallMiddleware, McpError } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  stdioDefinition,
  toolSourceSuite,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, only, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function cacheWith(name: string) {
  const cache = createFakeToolCache();
  cache.seed(await passThroughResolver(stdioDefinition(name), { signal: new AbortController().signal }), {
    tools: [tool("echo")],
  });
  return cache;
}

describe("a call", () => {
  it("[L31] is sent with the tool's original name", async () => {
    const { manager, sessions } = createFixture(["a"], { tools: [tool("Do.Thing")] });
    await manager.start();
    await manager.callTool("mcp__a__Do_Thing", { x: 1 });
    expect(only(sessions.get("a")?.requests ?? [])).toMatchObject({
      method: "tools/call",
      params: { name: "Do.Thing", arguments: { x: 1 } },
    });
    await manager.close();
  });

  it("[T23] resolves with a result that has isError set", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const answer = { content: [{ type: "text", text: "no such file" }], isError: true };
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")], answer: () => answer }));
    await starting;
    await expect(manager.callTool("mcp__a__echo")).resolves.toEqual(answer);
    await manager.close();
  });

  it("of a cached tool waits until its server is up", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, cache: await cacheWith("a") });
    await manager.start();
    const calling = manager.callTool("mcp__a__echo", { x: 1 });
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await expect(calling).resolves.toMatchObject({ content: [{ text: '{"x":1}' }] });
    await manager.close();
  });

  it("[H8] [C8] to a lazy server connects it; two at once share one connection", async () => {
    const lazy = stdioDefinition("a", { lazy: true });
    const { manager, connector } = createFixture([lazy], { cache: await cacheWith("a") });
    await manager.start();
    await Promise.all([manager.callTool("mcp__a__echo"), manager.callTool("mcp__a__echo")]);
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });

  it("by server and original name works before the server was ever listed", async () => {
    const { manager } = createFixture([stdioDefinition("a", { lazy: true })]);
    await manager.start();
    await expect(manager.callTool({ server: "a", tool: "echo" })).resolves.toMatchObject({
      content: [{ type: "text" }],
    });
    await manager.close();
  });

  it.each([
    ["mcp__a__none", "MCP_TOOL_UNKNOWN"],
    [{ server: "a", tool: "none" }, "MCP_TOOL_UNKNOWN"],
    [{ server: "none", tool: "echo" }, "MCP_SERVER_UNKNOWN"],
  ])("of %j is refused with %s", async (ref, code) => {
    const { manager } = createFixture(["a"]);
    await manager.start();
    await expect(manager.callTool(ref)).rejects.toMatchObject({ code, outcome: "not-sent" });
    await manager.close();
  });

  it("[T7] that was aborted before it began sends nothing", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const call = manager.callTool("mcp__a__echo", {}, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    expect(sessions.get("a")?.requests).toEqual([]);
    await manager.close();
  });

  it("[T9] rejects at once when aborted while it waits for a connection", async () => {
    const { manager } = createFixture(["a"], { byHand: true, cache: await cacheWith("a") });
    await manager.start();
    const controller = new AbortController();
    const calling = manager.callTool("mcp__a__echo", {}, { signal: controller.signal });
    controller.abort();
    await expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent", tool: "echo" });
    await manager.close();
  });

  it("stops waiting for a connection at its deadline, with outcome not-sent", async () => {
    const { manager } = createFixture(["a"], { byHand: true, cache: await cacheWith("a") });
    await manager.start();
    const calling = expect(manager.callTool("mcp__a__echo", {}, { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: "MCP_CALL_TIMEOUT",
      outcome: "not-sent",
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await calling;
    await manager.close();
  });

  it("passes only its remaining time to the session", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, cache: await cacheWith("a") });
    await manager.start();
    const calling = manager.callTool("mcp__a__echo", {}, { timeoutMs: 1_000 });
    await vi.advanceTimersByTimeAsync(400);
    const session = (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await calling;
    expect(only(session.requests).options.timeoutMs).toBe(600);
    await manager.close();
  });

  it("does not wait for a retry that is scheduled beyond its deadline", async () => {
    const { manager, connector } = createFixture(["a"], {
      byHand: true,
      cache: await cacheWith("a"),
      retry: { jitter: "none", initialDelayMs: 20_000 },
    });
    await manager.start();
    (await connector.nextAttempt()).fail(new McpError("MCP_CONNECT_FAILED", "refused", { server: "a" }));
    await vi.advanceTimersByTimeAsync(0);
    await expect(manager.callTool("mcp__a__echo", {}, { timeoutMs: 5_000 })).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      outcome: "not-sent",
      tool: "echo",
    });
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });

  it("waits for a retry that is scheduled before its deadline", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, cache: await cacheWith("a") });
    await manager.start();
    (await connector.nextAttempt()).fail(new McpError("MCP_CONNECT_FAILED", "refused"));
    await vi.advanceTimersByTimeAsync(0);
    const calling = manager.callTool("mcp__a__echo");
    await vi.advanceTimersByTimeAsync(1_000);
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await expect(calling).resolves.toBeDefined();
    await manager.close();
  });

  it("[T2] is not repeated if it may have run", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const cut = new McpError("MCP_OUTCOME_UNKNOWN", "the connection ended", { outcome: "unknown" });
    const session = createFakeSession({ tools: [tool("echo")], answer: () => Promise.reject(cut) });
    (await connector.nextAttempt()).open(session);
    await starting;
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({
      code: "MCP_OUTCOME_UNKNOWN",
      tool: "echo",
    });
    expect(session.requests).toHaveLength(1);
    await manager.close();
  });

  it("[T19] with a missing argument never reaches the server", async () => {
    const needy = tool("echo", { inputSchema: { type: "object", required: ["path"] } });
    const { manager, sessions } = createFixture(["a"], { tools: [needy] });
    await manager.start();
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_ARGUMENTS_INVALID" });
    expect(sessions.get("a")?.requests).toEqual([]);
    await manager.close();
  });
});

describe("a server that answers 429", () => {
  const busy = new McpError("MCP_TOOL_REJECTED", "busy", {
    outcome: "rejected",
    httpStatus: 429,
    retryAfterMs: 3_000,
  });

  async function busyServer() {
    let answers = 0;
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const answer = () => {
      answers += 1;
      return answers === 1 ? Promise.reject(busy) : { content: [] };
    };
    const session = (await connector.nextAttempt()).open(
      createFakeSession({ tools: [tool("echo")], answer }),
    );
    await starting;
    return { manager, session };
  }

  it("is called once more after Retry-After, within the call's deadline", async () => {
    const { manager, session } = await busyServer();
    const calling = manager.callTool("mcp__a__echo", {}, { timeoutMs: 10_000 });
    await vi.advanceTimersByTimeAsync(3_000);
    await expect(calling).resolves.toEqual({ content: [] });
    expect(session.requests.map(({ options }) => options.timeoutMs)).toEqual([10_000, 7_000]);
    await manager.close();
  });

  it("is not called again if Retry-After exceeds the call's deadline", async () => {
    const { manager, session } = await busyServer();
    await expect(manager.callTool("mcp__a__echo", {}, { timeoutMs: 2_000 })).rejects.toMatchObject({
      httpStatus: 429,
    });
    expect(session.requests).toHaveLength(1);
    await manager.close();
  });

  it("is not called again if the caller aborts during the wait", async () => {
    const { manager, session } = await busyServer();
    const controller = new AbortController();
    const calling = manager.callTool("mcp__a__echo", {}, { signal: controller.signal });
    const rejected = expect(calling).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort();
    await rejected;
    expect(session.requests).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
    await manager.close();
  });
});

describe("call middleware", () => {
  it("wraps the call in the given order, and may change arguments and results", async () => {
    const seen: string[] = [];
    const note =
      (name: string): CallMiddleware =>
      async (call, next) => {
        seen.push(`${name} in ${JSON.stringify(call.args)}`);
        const result = await next({ args: { ...call.args, [name]: true } });
        seen.push(`${name} out`);
        return { ...result, _meta: { ...result._meta, [name]: true } };
      };
    const { manager } = createFixture(["a"], { use: [note("outer"), note("inner")] });
    await manager.start();
    const result = await manager.callTool("mcp__a__echo");
    expect(seen).toEqual(["outer in {}", 'inner in {"outer":true}', "inner out", "outer out"]);
    expect(result).toMatchObject({
      content: [{ text: '{"outer":true,"inner":true}' }],
      _meta: { outer: true, inner: true },
    });
    await manager.close();
  });

  it("cannot make a call twice", async () => {
    const twice: CallMiddleware = async (_call, next) => {
      await next();
      return next();
    };
    const { manager, sessions } = createFixture(["a"], { use: [twice] });
    await manager.start();
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_INTERNAL" });
    expect(sessions.get("a")?.requests).toHaveLength(1);
    await manager.close();
  });

  it("has errors of other types wrapped in an McpError", async () => {
    const { manager } = createFixture(["a"], { use: [() => Promise.reject(new TypeError("oops"))] });
    await manager.start();
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({
      name: "McpError",
      code: "MCP_INTERNAL",
      tool: "echo",
    });
    await manager.close();
  });
});

describe("the manager as a tool source", () => {
  beforeEach(() => void vi.useRealTimers());
  toolSourceSuite("a manager with one server", async () => {
    const { manager, sessions } = createFixture(["fake"], { tools: [tool("echo"), tool("alpha")] });
    await manager.start();
    return {
      source: manager,
      echo: { server: "fake", tool: "echo" },
      changeTools: () => {
        sessions.get("fake")?.setTools([tool("echo"), tool("beta")]);
        sessions.get("fake")?.notify({ method: "notifications/tools/list_changed" });
      },
      dispose: () => manager.close(),
    };
  });
});
