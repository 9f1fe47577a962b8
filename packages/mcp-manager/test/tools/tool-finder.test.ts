import { McpError } from "@jackfield/mcp-core";
import { createFakeSession, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ECHO = { server: "a", tool: "echo" };
const NOT_SENT = { server: "a", tool: "echo", phase: "call", outcome: "not-sent" };

/** A server of which nothing is known: only a call wakes it. */
async function unlisted() {
  const { manager, connector } = createFixture([stdioDefinition("a", { lazy: true })], {
    byHand: true,
    retry: { maxRetries: 0 },
  });
  await manager.start();
  return { manager, connector };
}

describe("a call of a tool that was never listed", () => {
  it("says that it was not sent, and why, where its server never comes up", async () => {
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
    "says that it was not sent where the list's outcome is %s",
    async (outcome) => {
      const { manager, connector } = await unlisted();
      await using _ = manager;
      const refused = { server: "a", phase: "list", outcome, httpStatus: 500 } as const;
      const session = createFakeSession({ tools: [tool("echo")] });
      session.failLists(new McpError("MCP_REQUEST_REJECTED", "HTTP 500.", refused));
      const code = "MCP_REQUEST_REJECTED";
      const calling = expect(manager.callTool(ECHO)).rejects.toMatchObject({ ...NOT_SENT, code });
      (await connector.nextAttempt()).open(session);
      await calling;
      expect(session.requests).toEqual([]);
    },
  );

  it("stays an abort where its caller gives up", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const caller = new AbortController();
    const calling = manager.callTool(ECHO, {}, { signal: caller.signal });
    const aborted = expect(calling).rejects.toMatchObject({ ...NOT_SENT, code: "MCP_ABORTED" });
    await connector.nextAttempt();
    caller.abort();
    await aborted;
  });

  it("says that it was not sent where its time is over", async () => {
    const { manager } = await unlisted();
    await using _ = manager;
    const calling = manager.callTool(ECHO, {}, { timeoutMs: 1_000 });
    const expired = expect(calling).rejects.toMatchObject({ ...NOT_SENT, code: "MCP_CALL_TIMEOUT" });
    await vi.advanceTimersByTimeAsync(1_000);
    await expired;
  });
});
