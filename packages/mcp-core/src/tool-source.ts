import type { CallOptions } from "./call-options.ts";
import type { ToolCallResult } from "./content.ts";
import type { JsonObject } from "./json.ts";
import type { ToolDescriptor } from "./tool.ts";

/**
 * A tool by its exposed name, or by server and original name. With a `digest` (`toolDigest`) exactly that tool is meant: if it is another
 * one by now, its call is refused with `MCP_TOOL_CHANGED`.
 */
export type ToolRef =
  | string
  | { readonly server: string; readonly tool: string; readonly digest?: string | undefined };

/** Exposed names of the tools that were added, removed or changed. */
export interface ToolsChanged {
  readonly server: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** The events of every tool source. */
export interface SourceEvents {
  toolsChanged: ToolsChanged;
}

/** Everything that an adapter uses. The manager is a tool source, and so is a view of it. */
export interface ToolSource<Events extends SourceEvents = SourceEvents> {
  /** The offered tools, sorted by name. It is the same frozen array until something changes, so compare by identity to detect a change. */
  tools(): readonly ToolDescriptor[];
  /**
   * Calls a tool; the server receives its original name. A result with `isError: true` is returned, not thrown.
   *
   * @throws McpError only: `MCP_TOOL_UNKNOWN`, `MCP_TOOL_CHANGED`, `MCP_SERVER_UNKNOWN`, `MCP_ARGUMENTS_INVALID`, `MCP_TOOL_REJECTED`,
   * `MCP_CALL_TIMEOUT`, `MCP_ABORTED`, `MCP_OUTCOME_UNKNOWN` and others, such as those of a failed connection.
   */
  callTool(tool: ToolRef, args?: JsonObject, options?: CallOptions): Promise<ToolCallResult>;
  /** Adds a listener and returns the function that removes it. A listener that throws does not affect others. */
  on<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void;
}
