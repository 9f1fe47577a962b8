import { createDeadline, McpError, raceSignal } from "@jackfield/mcp-core";
import { abortedBeforeSending, detailsOf } from "../tools/call-error.ts";
import { createCallTime } from "../tools/call-time.ts";
import type { FoundTool } from "../tools/found-tool.ts";

/**
 * Waits for the verdict on a tool within the remaining time of its call.
 *
 * @throws McpError `MCP_CALL_TIMEOUT`, `MCP_ABORTED`, or the reason of `ended`, with outcome `not-sent`.
 */
export async function verdictInTime(
  judging: Promise<void>,
  found: FoundTool,
  ended: AbortSignal,
): Promise<FoundTool> {
  const { tool, options } = found;
  const time = createCallTime(options, {});
  using deadline = createDeadline({
    signal: options.signal,
    timeoutMs: time.waitMs(),
    aborted: () => abortedBeforeSending(tool),
    expired: () => {
      const message = `Tool "${tool.originalName}" was not called: the filter of a view did not answer within ${time.limitMs} ms.`;
      return new McpError("MCP_CALL_TIMEOUT", message, { ...detailsOf(tool), outcome: "not-sent" });
    },
  });
  await raceSignal(judging, AbortSignal.any([deadline.signal, ended]));
  return { ...found, options: { ...options, ...time.left() } };
}
