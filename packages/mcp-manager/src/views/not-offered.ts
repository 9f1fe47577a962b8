import { isMcpError, McpError, type ToolRef } from "@jackfield/mcp-core";

/** The error for a tool that a view does not show, whether or not it exists. */
export function notOffered(ref: ToolRef): McpError {
  const place = typeof ref === "string" ? { tool: ref.slice(0, 128) } : ref;
  const message = `This view offers no tool ${JSON.stringify(place.tool)}.`;
  return new McpError("MCP_TOOL_UNKNOWN", message, { ...place, phase: "call", outcome: "not-sent" });
}

/** Replaces the parent's error for an unknown tool or server: it may name tools that the view hides. */
export function inOwnWords(error: unknown, ref: ToolRef): unknown {
  const isUnknown = isMcpError(error, "MCP_TOOL_UNKNOWN") || isMcpError(error, "MCP_SERVER_UNKNOWN");
  return isUnknown ? notOffered(ref) : error;
}
