import { McpError, type ToolRef } from "@jackfield/mcp-core";

/**
 * Refuses a value that is no tool reference, as it would an unknown name.
 *
 * @throws McpError `MCP_TOOL_UNKNOWN` with outcome `not-sent`.
 */
export function checkToolRef(ref: unknown): asserts ref is ToolRef {
  if (typeof ref === "string") return;
  if (typeof ref === "object" && ref !== null) {
    const { server, tool, digest } = ref as Readonly<Record<string, unknown>>;
    const isDigest = digest === undefined || typeof digest === "string";
    if (typeof server === "string" && typeof tool === "string" && isDigest) return;
  }
  const message = `A tool is named by its exposed name or by { server, tool } with or without its digest, not by ${said(ref)}.`;
  throw new McpError("MCP_TOOL_UNKNOWN", message, { phase: "call", outcome: "not-sent" });
}

function said(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? "another object" : typeof value;
}
