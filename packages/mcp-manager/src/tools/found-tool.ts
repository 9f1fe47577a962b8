import type { CallOptions, Session, ToolDescriptor, ToolRef } from "@jackfield/mcp-core";

/** A tool, and the options of its call with what finding it has left of the call's time. */
export interface FoundTool {
  readonly tool: ToolDescriptor;
  readonly options: CallOptions;
  /** The one of its server under which it is what it is, if there is one: another may have another tool of that name. */
  readonly session: Session | undefined;
}

/**
 * Finds the tool a reference means. A name that a model mangled is repaired if only one tool can be meant; a tool that is named
 * by its server may belong to a list that is not in yet, and is waited for; so is the list of a server whose tool is only remembered.
 *
 * @throws McpError `MCP_TOOL_UNKNOWN`, which names up to three tools with names like it; `MCP_SERVER_UNKNOWN`; or what keeps the
 * server from being asked, with outcome `not-sent`.
 */
export type ToolFinder = (ref: ToolRef, options: CallOptions) => FoundTool | Promise<FoundTool>;
