import type { CallOptions, McpError, ServerLimits, ToolDescriptor } from "@jackfield/mcp-core";

/** How often a call has been made and what may be repeated; the decision's whole input. */
export interface ReplayQuestion {
  readonly error: McpError;
  /** Requests made so far, this failed one included. */
  readonly made: number;
  readonly replay: CallOptions["replay"];
  readonly tool: ToolDescriptor;
  readonly limits: ServerLimits;
}

/**
 * Whether a failed call is made once more (DESIGN, section 6: at most once). Pure.
 *
 * What was never sent, or was refused because the session is unknown to the server, did not run: it is made once more. What
 * may have run is repeated only where the caller asked for it on this call, or where the server's own annotations say it does
 * no harm and its limits trust them. An answer, a time-out, an abort are never repeated.
 */
export function shouldRepeat({ error, made, replay = "trusted", tool, limits }: ReplayQuestion): boolean {
  const wasLost = error.code === "MCP_SESSION_LOST" || error.code === "MCP_SERVER_EXITED";
  if (wasLost && (error.outcome === "not-sent" || error.outcome === "rejected")) return made === 1;
  if (error.code !== "MCP_OUTCOME_UNKNOWN") return false;
  if (typeof replay === "number") return made <= replay;
  if (replay === "never" || limits.trustAnnotations !== true) return false;
  const { readOnlyHint, idempotentHint } = tool.definition.annotations ?? {};
  return made === 1 && (readOnlyHint === true || idempotentHint === true);
}
