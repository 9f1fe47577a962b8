import { type CallMiddleware, McpError, type ToolDefinition, type ToolListPolicy } from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { McpManagerOptions } from "../src/index.ts";
import { createFixture, only, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ECHO = { server: "a", tool: "echo" };
const READING = tool("echo", { annotations: { readOnlyHint: true } });
const DESTROYING = tool("echo", { annotations: { destructiveHint: true } });
const CHANGED = { ...ECHO, code: "MCP_TOOL_CHANGED", outcome: "not-sent" };
const GONE = {
  ...ECHO,
  code: "MCP_TOOL_UNKNOWN",
  outcome: "not-sent",
  message: expect.stringMatching(/ any more\.$/),
};
const crash = new McpError("MCP_SERVER_EXITED", "the process ended", { server: "a" });
const notSent = new McpError("MCP_SESSION_LOST", "it has just ended", { outcome: "not-sent" });
const refusal = new McpError("MCP_REQUEST_REJECTED", "not now", { rpcCode: -32603 });
const cutOff = new McpError("MCP_OUTCOME_UNKNOWN", "cut off", { outcome: "unknown" });

/** A manager whose server fails the first call with this error and crashes; `restart` opens the session `after`. */
async function startCrashingServer(
  thrown: McpError,
  after: FakeSession,
  options: Partial<McpManagerOptions> = {},
) {
  const { manager, connector } = createFixture(["a"], { byHand: true, ...options });
  const starting = manager.start();
  const answer = () => {
    setImmediate(() => first.lose(crash));
    throw thrown;
  };
  const first: FakeSession = createFakeSession({ tools: [READING], answer });
  (await connector.nextAttempt()).open(first);
  await starting;
  const restart = async () => (await connector.nextAttempt()).open(after);
  return { manager, connector, first, restart };
}

/** A session that offers these tools. */
const offering = (...tools: ToolDefinition[]) => createFakeSession({ tools });

async function settled<T>(calling: Promise<T>): Promise<T> {
  calling.catch(() => {});
  await vi.advanceTimersByTimeAsync(2_000);
  return calling;
}

describe("[T78] a call whose server restarts", () => {
  it("is sent to the new session if the tool is unchanged", async () => {
    const { manager, first, restart } = await startCrashingServer(notSent, offering(READING));
    const calling = settled(manager.callTool(ECHO));
    const second = await restart();
    await calling;
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]); // The loss is reported before the second attempt.
    await manager.close();
  });

  it.each([
    ["has changed", offering(DESTROYING), CHANGED],
    ["is gone", offering(), GONE],
  ])("is not sent if the tool %s; a new call is judged by the new list", async (_title, after, expected) => {
    const judged: unknown[] = [];
    const judge: CallMiddleware = ({ tool: { definition } }, next) => {
      judged.push(definition.annotations);
      return next();
    };
    const { manager, restart } = await startCrashingServer(notSent, after, { use: [judge] });
    const refused = expect(settled(manager.callTool(ECHO))).rejects.toMatchObject(expected);
    await restart();
    await refused;
    expect(after.requests).toEqual([]);
    await manager.callTool(ECHO).catch(() => {});
    expect(after.requests).toHaveLength(expected === CHANGED ? 1 : 0);
    expect(judged.slice(1)).toEqual(expected === CHANGED ? [{ destructiveHint: true }] : []);
    await manager.close();
  });

  it("is not sent if a tool policy blocks the changed tool", async () => {
    const blockDestructive: ToolListPolicy = (offered) =>
      offered.definition.annotations?.destructiveHint ? { blocked: "it destroys" } : offered;
    const after = offering(DESTROYING);
    const { manager, restart } = await startCrashingServer(notSent, after, {
      toolPolicies: [blockDestructive],
    });
    const refused = expect(settled(manager.callTool(ECHO))).rejects.toMatchObject(GONE);
    await restart();
    await refused;
    expect(after.requests).toEqual([]);
    await manager.close();
  });

  it.each([
    ["rejects tools/list", (after: FakeSession) => after.failLists(refusal)],
    ["never answers tools/list", (after: FakeSession) => void after.holdLists()],
  ])("is not sent if the restarted server %s, but a new call is", async (_title, breakLists) => {
    const after = offering(DESTROYING);
    breakLists(after);
    const { manager, restart } = await startCrashingServer(notSent, after, {
      use: [(_call, next) => next()],
    });
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 3_000 });
    const refused = expect(settled(calling)).rejects.toMatchObject({
      ...ECHO,
      code: "MCP_SESSION_LOST",
      outcome: "not-sent",
      message: expect.stringContaining("has not listed its tools since"),
    });
    await restart();
    await refused;
    expect(after.requests).toEqual([]);
    await manager.callTool(ECHO, {}, { timeoutMs: 1_000 });
    expect(after.requests).toHaveLength(1);
    await manager.close();
  });

  it("is sent to a server that rejects tools/list if no middleware or view checked the call", async () => {
    const after = offering(DESTROYING);
    after.failLists(refusal);
    const { manager, first, restart } = await startCrashingServer(notSent, after);
    const calling = settled(manager.callTool(ECHO));
    await restart();
    await calling;
    expect([first.requests.length, after.requests.length]).toEqual([1, 1]);
    await manager.close();
  });

  it("is not sent to a server that rejects tools/list if a view checked it or it may have run", async () => {
    for (const [thrown, isInView] of [
      [notSent, true],
      [cutOff, false],
    ] as const) {
      const after = offering(DESTROYING);
      after.failLists(refusal);
      const { manager, restart } = await startCrashingServer(thrown, after);
      const source = isInView ? manager.view({ tools: ["echo"] }) : manager;
      const refused = expect(settled(source.callTool(ECHO, {}, { replay: 2 }))).rejects.toBeInstanceOf(
        McpError,
      );
      await restart();
      await refused;
      expect(after.requests).toEqual([]);
      await manager.close();
    }
  });

  it("is not sent if the server restarts with a changed tool while middleware holds the call", async () => {
    const entered = Promise.withResolvers<void>();
    const approved = Promise.withResolvers<void>();
    const approve: CallMiddleware = async (_call, next) => {
      entered.resolve();
      await approved.promise;
      return next();
    };
    const after = offering(DESTROYING);
    const { manager, first, restart } = await startCrashingServer(notSent, after, { use: [approve] });
    const refused = expect(manager.callTool(ECHO)).rejects.toMatchObject(CHANGED);
    await entered.promise;
    first.lose(crash);
    await vi.advanceTimersByTimeAsync(2_000);
    await restart();
    await vi.advanceTimersByTimeAsync(0);
    approved.resolve();
    await refused;
    expect([...first.requests, ...after.requests]).toEqual([]);
    await manager.close();
  });

  it("rejects with MCP_OUTCOME_UNKNOWN instead of replaying if the tool has changed", async () => {
    const after = offering(DESTROYING);
    const { manager, restart } = await startCrashingServer(cutOff, after);
    const unknown = { code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" };
    const rejected = expect(settled(manager.callTool(ECHO, {}, { replay: 2 }))).rejects.toMatchObject(
      unknown,
    );
    await restart();
    await rejected;
    expect(after.requests).toEqual([]);
    await manager.close();
  });

  it("is not replayed if the tool lost its readOnlyHint during the call", async () => {
    const { manager, sessions } = createFixture(["a"], {
      tools: [READING],
      limits: { trustAnnotations: true },
    });
    await manager.start();
    const session = only(sessions.values());
    const request = vi.fn(async () => {
      session.setTools([DESTROYING]);
      await manager.refreshTools("a");
      throw cutOff;
    });
    Object.assign(session, { request });
    await expect(manager.callTool(ECHO)).rejects.toMatchObject({ code: "MCP_OUTCOME_UNKNOWN" });
    expect(request).toHaveBeenCalledOnce();
    await manager.close();
  });
});

describe("[T78] a call through a view with an async filter", () => {
  it.each([
    ["changes", [DESTROYING, tool("other")], CHANGED],
    ["disappears", [tool("other")], GONE],
  ])("is not sent if the tool %s while the filter runs", async (_title, now, expected) => {
    const lazy = stdioDefinition("a", { lazy: true });
    const { manager, connector } = createFixture([lazy], { byHand: true });
    await manager.start();
    const looking = Promise.withResolvers<void>();
    const found = Promise.withResolvers<boolean>();
    const view = await manager.viewFor({
      tools: ({ originalName, definition }) => {
        if (originalName !== "echo" || definition.annotations?.destructiveHint)
          return originalName === "echo";
        looking.resolve();
        return found.promise;
      },
    });
    const refused = expect(view.callTool(ECHO)).rejects.toMatchObject(expected);
    const session = (await connector.nextAttempt()).open(offering(READING));
    await looking.promise;
    session.setTools(now);
    await manager.refreshTools("a");
    found.resolve(true);
    await refused;
    expect(session.requests).toEqual([]);
    await manager.close();
  });
});
