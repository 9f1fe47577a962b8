import { createDeadline, type Deadline, McpError, type ToolCall } from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import type { WatchedSession } from "../server/watched-session.ts";
import { abortedBeforeSending, detailsOf, unavailable } from "./call-error.ts";
import type { CallTime } from "./call-time.ts";

/**
 * Waits for the server before a call is sent. The wait counts against the call's time; the rest is for the request.
 *
 * @throws McpError with outcome `not-sent`: why there is no session, `MCP_CALL_TIMEOUT`, or `MCP_ABORTED`.
 */
export async function waitForServer<T>(
  { tool, options }: Pick<ToolCall, "tool" | "options">,
  time: CallTime,
  wait: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  using deadline = createDeadline({
    signal: options.signal,
    timeoutMs: time.waitMs(),
    aborted: () => abortedBeforeSending(tool),
    expired: () => {
      const message = `Server "${tool.server}" was not ready for tool "${tool.originalName}" within ${time.limitMs} ms, so the call was not sent; see its state in servers(), or raise timeoutMs.`;
      return new McpError("MCP_CALL_TIMEOUT", message, { ...detailsOf(tool), outcome: "not-sent" });
    },
  });
  try {
    return await wait(deadline);
  } catch (cause) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw unavailable(tool, cause);
  }
}

/** The share of a call's remaining time that a list may take: a server that never sends one can still be called. */
const SHARE_OF_LIST = 0.5;

/**
 * Waits for a session and, where possible, for its tools: a call is judged by what the server lists now (threat T78).
 *
 * @throws McpError as `waitForServer` does.
 */
export function waitForListedServer(
  call: Pick<ToolCall, "tool" | "options">,
  time: CallTime,
  server: ManagedServer,
): Promise<WatchedSession> {
  const patienceMs = () => time.leftMs() * SHARE_OF_LIST;
  return waitForServer(call, time, (deadline) => server.listedSession(deadline, patienceMs));
}
