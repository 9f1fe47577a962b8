import type { CallOptions, Session, ToolDescriptor, ToolRef } from "@jackfield/mcp-core";

/** A tool, and the options of its call with the time that is left after finding it. */
export interface FoundTool {
  readonly tool: ToolDescriptor;
  readonly options: CallOptions;
  /** The open session that the tool belongs to, if any: another one may have a different tool of that name. */
  readonly session: Session | undefined;
}

/**
 * Finds the tool a reference means. A mangled name is repaired if only one tool can be meant. Waits for the server's list if a tool
 * that is named by its server is not listed yet, or if the tool is only known from the catalog.
 *
 * @throws McpError `MCP_TOOL_UNKNOWN`, which names up to three tools with similar names; `MCP_SERVER_UNKNOWN`; or why the server could
 * not be asked, with outcome `not-sent`.
 */
export type ToolFinder = (ref: ToolRef, options: CallOptions) => FoundTool | Promise<FoundTool>;
