import type { CallOptions, Session, ToolDescriptor, ToolRef } from "@jackfield/mcp-core";

/** Where a tool was found. */
export interface FindingPlace {
  /** The open session that the tool belongs to, if any: another one may have a different tool of that name. */
  readonly session: Session | undefined;
  /** The latest renewal of any session then: the session may have been renewed since, and have a different tool, too. */
  readonly renewal: number;
}

/** A tool, and the options of its call with the time that is left after finding it. */
export interface FoundTool extends FindingPlace {
  readonly tool: ToolDescriptor;
  readonly options: CallOptions;
}

/**
 * Finds the tool a reference means. A mangled name is repaired if only one tool can be meant. Waits for the server's list if a tool
 * that is named by its server is not listed yet, or if the tool is only known from the catalog.
 *
 * @throws McpError `MCP_TOOL_UNKNOWN`, which names up to three tools with similar names; `MCP_TOOL_CHANGED` if the reference or the option
 * `approved` has the digest of another tool; `MCP_SERVER_UNKNOWN`; or why the server could not be asked, with outcome `not-sent`.
 */
export type ToolFinder = (ref: ToolRef, options: CallOptions) => FoundTool | Promise<FoundTool>;
