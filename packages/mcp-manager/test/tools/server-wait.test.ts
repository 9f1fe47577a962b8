import { McpError, raceSignal } from "@jackfield/mcp-core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createCallTime } from "../../src/tools/call-time.ts";
import { waitForServer } from "../../src/tools/server-wait.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tool = {
  name: "mcp__a__echo",
  server: "a",
  originalName: "echo",
  description: "",
  definition: { name: "echo", inputSchema: { type: "object" } },
  origin: "cache",
  requiresApproval: false,
} as const;

it.each([
  [
    "MCP_CALL_TIMEOUT",
    'Server "a" was not ready for tool "echo" within 100 ms,',
    () => vi.advanceTimersByTime(100),
  ],
  ["MCP_ABORTED", 'The call of tool "echo" was aborted;', (caller: AbortController) => caller.abort()],
])(
  "a wait for a server that ends with %s rejects with it, not with a later error",
  async (code, words, end) => {
    const caller = new AbortController();
    const options = { signal: caller.signal, timeoutMs: 100 };
    const waiting = waitForServer({ tool, options }, createCallTime(options, {}), ({ signal }) =>
      raceSignal(new Promise(() => {}), signal).catch(() => {
        throw new McpError("MCP_SERVER_EXITED", "ended");
      }),
    );
    end(caller);
    const message = expect.stringMatching(new RegExp(`^${words}`));
    await expect(waiting).rejects.toMatchObject({ code, message, outcome: "not-sent" });
  },
);
