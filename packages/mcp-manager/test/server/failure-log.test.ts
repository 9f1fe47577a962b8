import { McpError } from "@jackfield/mcp-core";
import { createFakeSession, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refused = new McpError("MCP_CONNECT_FAILED", 'Server "a" refused the connection', { server: "a" });

function failing(options: Parameters<typeof createFixture>[1] = {}) {
  const lines: string[] = [];
  const log = (level: string, message: string) => void lines.push(`${level} ${message}`);
  return { ...createFixture([stdioDefinition("a")], { log, retry: { jitter: "none" }, ...options }), lines };
}

describe("the log of a server that fails", () => {
  it("has one line for each attempt, with the next one and its time, and one when the server works again", async () => {
    const { manager, connector, lines } = failing({ byHand: true });
    await using _ = manager;
    const starting = manager.start();
    (await connector.nextAttempt()).fail(refused);
    await starting;
    const again = connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(1_000);
    (await again).fail(refused);
    await vi.advanceTimersByTimeAsync(0);
    const third = connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(2_000);
    (await third).open(createFakeSession());
    await vi.advanceTimersByTimeAsync(0);
    expect(lines).toEqual([
      'warn Server "a" refused the connection. Attempt 2 follows in 1.0 s.',
      'warn Server "a" refused the connection. Attempt 3 follows in 2.0 s.',
      'info Server "a" can be used again.',
    ]);
  });

  it("tells a failure once, however many users meet it", async () => {
    const { manager, sessions, lines } = failing();
    await using _ = manager;
    await manager.start();
    const lost = [];
    for (const user of ["ann", "bob", "eve"]) {
      await manager.forPrincipal(user).start();
      lost.push(sessions.get("a"));
    }
    for (const session of lost)
      session?.lose(new McpError("MCP_SESSION_LOST", "The server is gone.", { server: "a" }));
    expect(lines).toEqual(["warn The server is gone. Attempt 2 follows now."]);
  });

  it("becomes silent about a server that fails for ever in the same way", async () => {
    const { manager, connector, lines } = failing({
      byHand: true,
      retry: { maxRetries: 30, jitter: "none" },
    });
    await using _ = manager;
    const starting = manager.start();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const next = connector.nextAttempt();
      await vi.advanceTimersByTimeAsync(30_000);
      (await next).fail(refused);
      await vi.advanceTimersByTimeAsync(0);
    }
    await starting;
    expect(lines.filter((line) => line.startsWith("warn"))).toHaveLength(9);
    const next = connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(30_000);
    (await next).fail(new McpError("MCP_CONNECT_FAILED", "Another reason.", { server: "a" }));
    await vi.advanceTimersByTimeAsync(0);
    expect(lines.at(-1)).toMatch(/^warn Another reason\. Attempt \d+ follows in/);
  });
});
