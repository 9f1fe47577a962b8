import type { CallOptions } from "./call-options.ts";
import type { ToolCallResult } from "./content.ts";
import type { JsonObject } from "./json.ts";
import type { ToolDescriptor } from "./tool.ts";

/** A tool by its exposed name, or by server and original name. */
export type ToolRef = string | { readonly server: string; readonly tool: string };

/** Exposed names that came, went, or whose definition is another now. */
export interface ToolsChanged {
  readonly server: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** What every tool source says. */
export interface SourceEvents {
  toolsChanged: ToolsChanged;
}

/** All that an adapter may ask. The manager is one; so is a view of it. */
export interface ToolSource<Events extends SourceEvents = SourceEvents> {
  /** Sorted by name; the same frozen array for as long as nothing changed, so identity tells whether to look again. */
  tools(): readonly ToolDescriptor[];
  /**
   * Calls a tool by its original name on the wire. A result with `isError: true` is returned, not thrown.
   *
   * @throws McpError only, among them `MCP_TOOL_UNKNOWN`, `MCP_SERVER_UNKNOWN`, `MCP_ARGUMENTS_INVALID`,
   * `MCP_TOOL_REJECTED`, `MCP_CALL_TIMEOUT`, `MCP_ABORTED`, `MCP_OUTCOME_UNKNOWN`, and whatever keeps the server from being reached.
   */
  callTool(tool: ToolRef, args?: JsonObject, options?: CallOptions): Promise<ToolCallResult>;
  /** Listens; the returned function stops it. A listener that throws disturbs nobody. */
  on<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void;
}
