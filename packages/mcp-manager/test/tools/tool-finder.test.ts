import { type CallMiddleware, McpError } from "@jackfield/mcp-core";
import { createFakeSession, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ECHO = { server: "a", tool: "echo" };
const NOT_SENT = { server: "a", tool: "echo", phase: "call", outcome: "not-sent" };

/** A server that was never listed and that only a call connects. */
async function unlisted() {
  const { manager, connector } = createFixture([stdioDefinition("a", { lazy: true })], {
    byHand: true,
    retry: { maxRetries: 0 },
  });
  await manager.start();
  return { manager, connector };
}

describe("a call to a tool that was never listed", () => {
  it("rejects as not-sent, with the cause, if its server never connects", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const calling = expect(manager.callTool(ECHO)).rejects.toMatchObject({
      ...NOT_SENT,
      code: "MCP_SERVER_EXITED",
      message: 'Tool "echo" was not called: it ended with code 3.',
      stderr: "no such file",
    });
    const exited = { server: "a", phase: "spawn", stderr: "no such file" } as const;
    (await connector.nextAttempt()).fail(new McpError("MCP_SERVER_EXITED", "it ended with code 3.", exited));
    await calling;
  });

  it.each(["unknown", "rejected"] as const)(
    "rejects as not-sent if the listing fails with outcome %s",
    async (outcome) => {
      const { manager, connector } = await unlisted();
      await using _ = manager;
      const refused = { server: "a", phase: "list", outcome, httpStatus: 500 } as const;
      const session = createFakeSession({ tools: [tool("echo")] });
      session.failLists(new McpError("MCP_REQUEST_REJECTED", "HTTP 500.", refused));
      const code = "MCP_REQUEST_REJECTED";
      const calling = expect(manager.callTool(ECHO)).rejects.toMatchObject({ ...NOT_SENT, code });
      (await connector.nextAttempt()).open(session);
      await vi.advanceTimersByTimeAsync(0);
      await calling;
      expect(session.requests).toEqual([]);
    },
  );

  it.each([
    ["ends and reports it a moment later", "unknown", true],
    ["only loses its connection", "not-sent", false],
  ] as const)("waits for the next session if the one that lists %s", async (_title, outcome, reportsEnd) => {
    const { manager, connector } = createFixture([stdioDefinition("a", { lazy: true })], { byHand: true });
    await manager.start();
    const dying = createFakeSession();
    dying.list = async () => {
      if (reportsEnd) setImmediate(() => dying.lose(new McpError("MCP_SERVER_EXITED", "ended")));
      throw new McpError("MCP_SESSION_LOST", "lost", { outcome });
    };
    const calling = manager.callTool(ECHO);
    (await connector.nextAttempt()).open(dying);
    const again = connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(3_000);
    const next = (await again).open(createFakeSession({ tools: [tool("echo")] }));
    await calling;
    expect([dying.requests.length, next.requests.length]).toEqual([0, 1]);
    await manager.close();
  });

  it.each([
    ["end", "unknown", true],
    ["cannot be asked", "not-sent", false],
  ] as const)(
    "rejects with the listing's error if two sessions in a row %s",
    async (_title, outcome, reportsEnd) => {
      const { manager, connector } = createFixture([stdioDefinition("a", { lazy: true })], { byHand: true });
      await manager.start();
      for (const ask of [() => manager.callTool(ECHO), () => manager.refreshTools("a")]) {
        const lost = { code: "MCP_SESSION_LOST", message: expect.stringContaining("cut off") };
        const before = connector.attempts.length;
        const asking = expect(ask()).rejects.toMatchObject(lost);
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const dying = createFakeSession();
          dying.list = async () => {
            if (reportsEnd) setImmediate(() => dying.lose(new McpError("MCP_SERVER_EXITED", "ended")));
            throw new McpError("MCP_SESSION_LOST", "cut off", { outcome });
          };
          const next = connector.nextAttempt();
          await vi.advanceTimersByTimeAsync(6_000);
          (await next).open(dying);
          await vi.advanceTimersByTimeAsync(0);
        }
        await asking;
        expect(connector.attempts.length - before).toBe(2);
      }
      await manager.close();
    },
  );

  it("sends nothing on a session that is released in the same turn", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const session = createFakeSession({ tools: [tool("echo")] });
    await Promise.all([manager.reconnect("a"), connector.nextAttempt().then((made) => made.open(session))]);
    const asked = session.listed.length;
    const calling = expect(manager.callTool({ server: "a", tool: "other" })).rejects.toMatchObject({
      code: "MCP_CLOSED",
      outcome: "not-sent",
    });
    await Promise.all([manager.disconnect("a"), calling]);
    expect(session.listed).toHaveLength(asked);
    expect(manager.servers()).toMatchObject([{ status: "idle", error: undefined }]);
  });

  it("is not sent on the session it was found on if the tool is delisted before that", async () => {
    const relist: CallMiddleware = async (_call, next) => {
      session.setTools([]);
      await manager.refreshTools("a");
      return next();
    };
    const session = createFakeSession({ tools: [tool("echo")] });
    const lazy = stdioDefinition("a", { lazy: true });
    const { manager, connector } = createFixture([lazy], { byHand: true, use: [relist] });
    await using _ = manager;
    await manager.start();
    const calling = manager.callTool(ECHO);
    (await connector.nextAttempt()).open(session);
    await expect(calling).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN", outcome: "not-sent" });
    expect(session.requests).toEqual([]);
  });

  it.each([...Array(16).keys()])(
    "is sent exactly once if its session ends %d microtasks after the list",
    async (turns) => {
      const lazy = stdioDefinition("a", { lazy: true });
      const { manager, connector } = createFixture([lazy], { byHand: true });
      await using _ = manager;
      await manager.start();
      const dying = createFakeSession();
      dying.list = async () => {
        void (async () => {
          for (let turn = 0; turn < turns; turn += 1) await undefined;
          dying.lose(new McpError("MCP_SERVER_EXITED", "ended"));
        })();
        return { items: [tool("echo")] as never };
      };
      const outcome = manager.callTool(ECHO).then(
        () => "made",
        (error: McpError) => `${error.code} ${error.outcome}`,
      );
      (await connector.nextAttempt()).open(dying);
      const again = connector.nextAttempt();
      await vi.advanceTimersByTimeAsync(3_000);
      const next = (await again).open(createFakeSession({ tools: [tool("echo")] }));
      await vi.advanceTimersByTimeAsync(1_000);
      const sent = dying.requests.length;
      expect(await outcome).toBe(sent === 0 ? "made" : "MCP_SESSION_LOST unknown");
      expect(sent + next.requests.length).toBe(1);
    },
  );

  it("rejects with MCP_ABORTED if the caller aborts", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const caller = new AbortController();
    const calling = manager.callTool(ECHO, {}, { signal: caller.signal });
    const aborted = expect(calling).rejects.toMatchObject({ ...NOT_SENT, code: "MCP_ABORTED" });
    await connector.nextAttempt();
    caller.abort();
    await aborted;
  });

  it("rejects as not-sent if it times out", async () => {
    const { manager } = await unlisted();
    await using _ = manager;
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 1_000 });
    const expired = expect(calling).rejects.toMatchObject({ ...NOT_SENT, code: "MCP_CALL_TIMEOUT" });
    await vi.advanceTimersByTimeAsync(1_000);
    await expired;
  });
});
