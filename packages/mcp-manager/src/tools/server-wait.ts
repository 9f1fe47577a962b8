import { McpError, type ToolCall } from "@jackfield/mcp-core";
import { createDeadline, type Deadline } from "../deadline.ts";
import { abortedBeforeSending, detailsOf, unavailable } from "./call-error.ts";
import type { CallTime } from "./call-time.ts";

/**
 * Waits for something of the server before a call is sent. It is part of the call's own time; what remains is for the request.
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
