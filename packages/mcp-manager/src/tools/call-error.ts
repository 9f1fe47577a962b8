import {
  isMcpError,
  McpError,
  type McpErrorDetails,
  type ToolDescriptor,
  type ToolRef,
  toMcpError,
} from "@jackfield/mcp-core";

/** What an error says about a tool; no more is known of one that was never listed. */
type NamedTool = Pick<ToolDescriptor, "server" | "originalName">;

/** Where a call went wrong. */
export function detailsOf(tool: NamedTool): McpErrorDetails {
  return { server: tool.server, tool: tool.originalName, phase: "call" };
}

export function abortedBeforeSending(tool: ToolDescriptor): McpError {
  const message = `The call of tool "${tool.originalName}" was aborted; it was not sent.`;
  return new McpError("MCP_ABORTED", message, { ...detailsOf(tool), outcome: "not-sent" });
}

export function optionInvalid(what: string, ref: ToolRef): McpError {
  const place = typeof ref === "string" ? { tool: ref } : ref;
  const message = `Tool ${JSON.stringify(place.tool)} was not called: ${what}.`;
  return new McpError("MCP_CONFIG_INVALID", message, { ...place, phase: "call", outcome: "not-sent" });
}

/** The reason there is no session, as an error of this call: the same reason may apply to many calls. */
export function unavailable(tool: NamedTool, thrown: unknown): McpError {
  const cause = toMcpError(thrown, "MCP_INTERNAL", "The server could not be reached.");
  const message = `Tool "${tool.originalName}" was not called: ${cause.message}`;
  return new McpError(cause.code, message, {
    ...cause.toJSON(),
    ...detailsOf(tool),
    outcome: "not-sent",
    cause,
  });
}

/**
 * A session's error with the tool it concerns. An abort that the caller did not request becomes an ordinary failure, so that it does
 * not end the caller's run ([T29]).
 */
export function callError(thrown: unknown, tool: ToolDescriptor, signal: AbortSignal | undefined): McpError {
  if (isMcpError(thrown, "MCP_ABORTED") && signal?.aborted !== true) {
    const message = `The call of tool "${tool.originalName}" was aborted, but not by its caller; it may have been carried out.`;
    const outcome = thrown.outcome ?? "unknown";
    return new McpError("MCP_OUTCOME_UNKNOWN", message, {
      ...thrown.toJSON(),
      ...detailsOf(tool),
      outcome,
      cause: thrown,
    });
  }
  const failed = `The call of tool "${tool.originalName}" failed.`;
  const error = toMcpError(thrown, "MCP_INTERNAL", failed, { ...detailsOf(tool), outcome: "unknown" });
  if (error.tool !== undefined) return error;
  return new McpError(error.code, error.message, {
    ...error.toJSON(),
    ...detailsOf(tool),
    cause: error.cause,
  });
}

/** The error of a call that failed in its middleware. Once the call was made, its outcome is unknown, unless the error states one. */
export function middlewareError(
  thrown: unknown,
  tool: ToolDescriptor,
  wasMade: boolean,
  how = "failed",
): McpError {
  const outcome = wasMade ? "unknown" : "not-sent";
  if (isMcpError(thrown)) return withOutcome(thrown, tool, outcome);
  const became = wasMade ? "may have been carried out" : "was not sent";
  const message = `A call middleware ${how} (tool "${tool.originalName}" of server "${tool.server}"); the call ${became}.`;
  return new McpError("MCP_INTERNAL", message, { ...detailsOf(tool), outcome, cause: thrown });
}

/** The error of a call whose answer arrived and could not be checked. */
export function uncheckedAnswer(thrown: unknown, tool: NamedTool): McpError {
  const message = `The answer of tool "${tool.originalName}" could not be checked against its output schema; the call may have been carried out.`;
  const details = { ...detailsOf(tool), outcome: "unknown" } as const;
  return withOutcome(toMcpError(thrown, "MCP_INTERNAL", message, details), tool, "unknown");
}

/** The same error with an outcome, unless it states one. */
function withOutcome(error: McpError, tool: NamedTool, outcome: "unknown" | "not-sent"): McpError {
  if (error.outcome !== undefined) return error;
  const details = { ...error.toJSON(), ...detailsOf(tool), outcome, cause: error };
  return new McpError(error.code, error.message, details);
}

/**
 * A failed retry does not undo an earlier attempt that may have been carried out: the caller must be told of that. Nor does an error
 * without an outcome say that the call was not carried out.
 */
export function keepUncertainty(
  error: McpError,
  uncertain: McpError | undefined,
  tool: ToolDescriptor,
): McpError {
  if (uncertain === undefined || error.outcome === "unknown") return withOutcome(error, tool, "unknown");
  if (error.code !== "MCP_ABORTED") return uncertain;
  const message = `The call of tool "${tool.originalName}" was aborted; an earlier attempt may have been carried out.`;
  return new McpError("MCP_ABORTED", message, { ...detailsOf(tool), outcome: "unknown", cause: uncertain });
}

/** JSON-RPC's codes for method not found and invalid params: servers answer an unknown tool with either. */
const NOT_KNOWN = [-32601, -32602];
const SAYS_UNKNOWN = /\b(?:unknown|no such|invalid) tool\b|\btool\b.*\b(?:not found|unknown|not exist)/is;

/** Whether the server says that it has no such tool (any more), rather than that the arguments are wrong. */
export function isToolGone({ code, rpcCode, message }: McpError): boolean {
  if (code !== "MCP_TOOL_REJECTED" || rpcCode === undefined || !NOT_KNOWN.includes(rpcCode)) return false;
  return SAYS_UNKNOWN.test(serverWords(message, rpcCode));
}

/** The server's part of a message. The words that a session puts before it contain "tool" as well, and end with the code. */
function serverWords(message: string, rpcCode: number): string {
  const introduction = `(JSON-RPC error ${rpcCode}): `;
  const at = message.indexOf(introduction);
  return at < 0 ? message : message.slice(at + introduction.length);
}
