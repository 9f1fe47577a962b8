import { type CallMiddleware, isMcpError, McpError } from "@jackfield/mcp-core";
import { createFakeSession, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, only, tool } from "./manager-fixture.ts";
import { seededRandom } from "./tools/naming-fixture.ts";
import { startedManager } from "./tools/started-manager.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SEED = 41;
const oneTool = new Map([["a", [tool("echo")]]]);
const crash = new McpError("MCP_SERVER_EXITED", "the process ended", { server: "a" });

describe("a tool that was listed earlier", () => {
  it("[L36] [R21] is called on the new session after the old one was lost", async () => {
    const { manager, session } = await startedManager(oneTool, { retry: { jitter: "none" } });
    const held = only(manager.tools());
    const first = session("a");
    first.lose(crash);
    await vi.advanceTimersByTimeAsync(1_000);
    await manager.callTool(held.name);
    await manager.callTool({ server: held.server, tool: held.originalName });
    expect(session("a")).not.toBe(first);
    expect(session("a").requests).toHaveLength(2);
    await manager.close();
  });

  it("is called on the next session if the current one ended without reporting it yet", async () => {
    const gone = new McpError("MCP_SESSION_LOST", "it has just ended", { server: "a", outcome: "not-sent" });
    let isGone = true;
    const answer = () => {
      if (!isGone) return { content: [] };
      isGone = false;
      setImmediate(() => session("a").lose(gone));
      throw gone;
    };
    const { manager, session, connector } = await startedManager(oneTool, {
      answer,
      retry: { jitter: "none" },
    });
    const calling = manager.callTool({ server: "a", tool: "echo" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await calling).toEqual({ content: [] });
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("is called once more on the same session if only a connection was lost", async () => {
    const broken = new McpError("MCP_SESSION_LOST", "reset", { server: "a", outcome: "not-sent" });
    const held = Promise.withResolvers<unknown>();
    const answers: (() => unknown)[] = [
      () => held.promise,
      () => {
        throw broken;
      },
    ];
    const answer = () => answers.shift()?.() ?? { content: [] };
    const { manager, connector } = await startedManager(oneTool, { answer });
    const other = manager.callTool({ server: "a", tool: "echo" });
    const calling = manager.callTool({ server: "a", tool: "echo" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await calling).toEqual({ content: [] });
    expect(connector.attempts).toHaveLength(1);
    held.resolve({ content: [] });
    expect(await other).toEqual({ content: [] });
    await manager.close();
  });

  it("[T78] is judged by the definition that its server lists after a reconnect", async () => {
    const judged: unknown[] = [];
    const judge: CallMiddleware = (call, next) => {
      judged.push(call.tool.definition.annotations);
      return next();
    };
    const tools = [tool("echo", { annotations: { readOnlyHint: true } })];
    const { manager, sessions } = createFixture(["a"], { tools, use: [judge] });
    await manager.start();
    const reading = manager.view({
      tools: ({ definition }) => definition.annotations?.readOnlyHint === true,
    });
    const { name } = only(reading.tools());
    tools[0] = tool("echo", { annotations: { destructiveHint: true } });
    sessions.get("a")?.lose(crash);
    const calls = [manager.callTool(name), reading.callTool(name).catch(({ code }) => code)];
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await Promise.all(calls))[1]).toBe("MCP_TOOL_UNKNOWN");
    expect(judged).toEqual([{ destructiveHint: true }]);
    await reading.close();
    await manager.close();
  });

  it("is called once its server, which was lost, has connected again", async () => {
    const { manager, session, connector } = await startedManager(oneTool, { retry: { jitter: "none" } });
    const { name } = only(manager.tools());
    const first = session("a");
    first.lose(crash);
    const calling = manager.callTool(name);
    await vi.advanceTimersByTimeAsync(0);
    session("a").failLists(new McpError("MCP_INTERNAL", "no list", { server: "a" }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await calling).toEqual({ content: [{ type: "text", text: "{}" }] });
    expect(connector.attempts).toHaveLength(2);
    expect(first.requests).toEqual([]);
    expect(session("a").requests).toMatchObject([{ method: "tools/call", params: { name: "echo" } }]);
    await manager.close();
  });

  it("[L36] is called on the server that replaced its own by reload()", async () => {
    const { manager, session, connector } = await startedManager(oneTool);
    const held = only(manager.tools());
    const first = session("a");
    await manager.callTool(held.name);
    await manager.reload([stdioDefinition("a", { command: "another-command" })]);
    await manager.callTool(held.name);
    expect(connector.attempts).toHaveLength(2);
    expect(first.requests).toHaveLength(1);
    expect(session("a").requests).toHaveLength(1);
    await manager.close();
  });

  it("is found by server and original name, and by its old name while unambiguous", async () => {
    const { manager, session } = await startedManager(new Map([["x.y", [tool("echo")]]]));
    const old = only(manager.tools()).name;
    await manager.reload([stdioDefinition("x.y"), stdioDefinition("x_y")]);
    expect(only(manager.tools()).name).not.toBe(old);
    await manager.callTool({ server: "x.y", tool: "echo" });
    await manager.callTool(old);
    expect(session("x.y").requests).toHaveLength(2);
    session("x_y").setTools([tool("echo")]);
    await manager.refreshTools("x_y");
    await expect(manager.callTool(old)).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN" });
    await manager.close();
  });
});

describe("calls while a server is down", () => {
  it("wait for it, while calls in flight reject with outcome unknown", async () => {
    const answered = Promise.withResolvers<unknown>();
    const { manager, connector } = createFixture(["a"], { byHand: true, retry: { jitter: "none" } });
    const starting = manager.start();
    const first = createFakeSession({ tools: [tool("echo")], answer: () => answered.promise });
    (await connector.nextAttempt()).open(first);
    await starting;
    const underWay = manager.callTool("mcp__a__echo");
    const cutOff = expect(underWay).rejects.toMatchObject({ outcome: "unknown", tool: "echo" });
    await vi.advanceTimersByTimeAsync(0);
    first.lose(crash);
    await cutOff;
    const waiting = Promise.all(Array.from({ length: 20 }, () => manager.callTool("mcp__a__echo")));
    await vi.advanceTimersByTimeAsync(1_000);
    const second = (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await waiting;
    expect(second.requests).toHaveLength(20);
    await manager.close();
  });

  it("share one deadline for finding the tool and calling it", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const calling = manager.callTool(
      { server: "a", tool: "echo" },
      {},
      { timeoutMs: 1_000, maxTotalMs: 5_000 },
    );
    await vi.advanceTimersByTimeAsync(400);
    const session = (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await calling;
    expect(only(session.requests).options).toMatchObject({ timeoutMs: 600, maxTotalMs: 4_600 });
    await starting;
    await manager.close();
  });

  it("are subject to maxTotalMs while the tool is looked for", async () => {
    const { manager } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const calling = manager.callTool({ server: "a", tool: "echo" }, {}, { timeoutMs: 0, maxTotalMs: 500 });
    const rejected = expect(calling).rejects.toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "not-sent" });
    await vi.advanceTimersByTimeAsync(500);
    await rejected;
    await manager.close();
    await starting.catch(() => {});
  });
});

describe("a call cut off after the server has worked on it", () => {
  const lost = new McpError("MCP_OUTCOME_UNKNOWN", "cut off", { outcome: "unknown" });
  /** The first request is cut off after `ms`; later ones are answered. */
  const cutOffAfter = (ms: number) => {
    let asked = 0;
    return async () => {
      asked += 1;
      if (asked > 1) return { content: [] };
      await new Promise((resolve) => setTimeout(resolve, ms));
      throw lost;
    };
  };

  it("is repeated with its full timeoutMs and the rest of its maxTotalMs", async () => {
    const { manager, session } = await startedManager(oneTool, { answer: cutOffAfter(3_000) });
    const limits = { timeoutMs: 1_000, maxTotalMs: 5_000 }; // Progress has extended timeoutMs.
    const calling = manager.callTool({ server: "a", tool: "echo" }, {}, { ...limits, replay: 1 });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await calling).toEqual({ content: [] });
    expect(session("a").requests[1]?.options).toMatchObject({ timeoutMs: 1_000, maxTotalMs: 2_000 });
    await manager.close();
  });

  it("is not repeated once maxTotalMs has passed", async () => {
    const { manager, session } = await startedManager(oneTool, { answer: cutOffAfter(3_000) });
    const limits = { timeoutMs: 1_000, maxTotalMs: 3_000 };
    const calling = manager.callTool({ server: "a", tool: "echo" }, {}, { ...limits, replay: 1 });
    const rejected = expect(calling).rejects.toMatchObject({ code: "MCP_OUTCOME_UNKNOWN" });
    await vi.advanceTimersByTimeAsync(3_000);
    await rejected;
    expect(session("a").requests).toHaveLength(1);
    await manager.close();
  });
});

describe("a tool that the server no longer knows", () => {
  const gone = (message: string, rpcCode: number) =>
    new McpError("MCP_TOOL_REJECTED", message, { rpcCode, outcome: "rejected" });

  it.each([
    ["Tool echo not found", -32602],
    ["MCP error -32602: Unknown tool: echo", -32602],
    ["no such tool", -32601],
  ])("causes one new listing after %j, and is not called again", async (message, code) => {
    const { manager, session } = await startedManager(oneTool, {
      answer: () => Promise.reject(gone(message, code)),
    });
    const listed = session("a").listed.length;
    session("a").setTools([tool("echo2")]);
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_TOOL_REJECTED" });
    await vi.advanceTimersByTimeAsync(0);
    expect(session("a").listed).toHaveLength(listed + 1);
    expect(session("a").requests).toHaveLength(1);
    expect(only(manager.tools()).originalName).toBe("echo2");
    await manager.close();
  });

  it.each([
    ["Invalid arguments for tool echo: path must be a string", -32602],
    ["Unknown tool: echo", -32000],
  ])("causes no new listing after %j", async (message, code) => {
    const { manager, session } = await startedManager(oneTool, {
      answer: () => Promise.reject(gone(message, code)),
    });
    const listed = session("a").listed.length;
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_TOOL_REJECTED" });
    await vi.advanceTimersByTimeAsync(0);
    expect(session("a").listed).toHaveLength(listed);
    await manager.close();
  });
});

it("[L22] a tool filter of the configuration includes and excludes by name", async () => {
  const filtered = stdioDefinition("a", { tools: { include: ["read_*"], exclude: ["read_secret"] } });
  const listed = ["read_file", "read_secret", "write_file"].map((name) => tool(name));
  const { manager } = await startedManager(new Map([[filtered, listed]]));
  expect(manager.tools().map(({ originalName }) => originalName)).toEqual(["read_file"]);
  await manager.close();
});

it(`[T2] none of 10,000 calls that fail at random is executed twice (seed ${SEED})`, async () => {
  vi.useRealTimers(); // Lost sessions are replaced in real time.
  const random = seededRandom(SEED);
  let executed = 0;
  const fail = (outcome: "not-sent" | "rejected" | "unknown", isBusy = false) => {
    const code =
      outcome === "unknown" ? "MCP_OUTCOME_UNKNOWN" : isBusy ? "MCP_TOOL_REJECTED" : "MCP_SESSION_LOST";
    throw new McpError(code, outcome, { outcome, retryAfterMs: 0, ...(isBusy ? { httpStatus: 429 } : {}) });
  };
  const { manager } = await startedManager(oneTool, {
    retry: { initialDelayMs: 0, jitter: "none", maxRetries: 10_000, maxPerSecond: 10_000 },
    answer: () => {
      const fate = random();
      if (fate < 0.03) return fail("not-sent");
      if (fate < 0.3) return fail("rejected", true);
      if (fate < 0.4) return fail("rejected");
      if (fate < 0.5) return fail("unknown");
      executed += 1;
      return fate < 0.7 ? fail("unknown") : { content: [] };
    },
  });
  for (let made = 0; made < 10_000; made += 1) {
    executed = 0;
    const error = await manager.callTool("mcp__a__echo").then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(executed).toBeLessThanOrEqual(1);
    if (error === undefined) expect(executed).toBe(1);
    else if (executed === 1) expect(isMcpError(error) && error.outcome).toBe("unknown");
  }
  await manager.close();
});
