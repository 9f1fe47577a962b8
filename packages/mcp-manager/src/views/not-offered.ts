import { isMcpError, McpError, type ToolRef } from "@jackfield/mcp-core";

/** What a view says of a tool that it does not show, whether or not there is one. */
export function notOffered(ref: ToolRef): McpError {
  const place = typeof ref === "string" ? { tool: ref.slice(0, 128) } : ref;
  const message = `This view offers no tool ${JSON.stringify(place.tool)}.`;
  return new McpError("MCP_TOOL_UNKNOWN", message, { ...place, phase: "call", outcome: "not-sent" });
}

/** What the parent says of a tool that it does not know may name others, which the view hides. */
export function inOwnWords(error: unknown, ref: ToolRef): unknown {
  const isUnknown = isMcpError(error, "MCP_TOOL_UNKNOWN") || isMcpError(error, "MCP_SERVER_UNKNOWN");
  return isUnknown ? notOffered(ref) : error;
}
