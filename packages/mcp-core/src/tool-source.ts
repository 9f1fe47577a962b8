import type { CallOptions } from "./call-options.ts";
import type { ToolCallResult } from "./content.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { ErrorReport, ServerSnapshot, ServerStatus } from "./server-status.ts";
import type { ToolDescriptor } from "./tool.ts";
import type { JsonObject } from "./values.ts";

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

/** What `searchTools` looks for. */
export interface SearchToolsOptions {
  /** How many tools are found at most. Default 10. */
  readonly limit?: number | undefined;
  /** Only tools of these servers. Default: all. */
  readonly servers?: readonly string[] | undefined;
  /** Only tools for which this is true. Default: all. */
  readonly tools?: ((tool: ToolDescriptor) => boolean) | undefined;
  /** Whether the servers of the tools that are found are connected in the background, so that a call need not wait. Default `false`. */
  readonly warmUp?: boolean | undefined;
}

/** The events of every tool source. */
export interface SourceEvents {
  toolsChanged: ToolsChanged;
}

/** Everything that an adapter uses. The manager is a tool source, and so is a view of it. */
export interface ToolSource<Events extends SourceEvents = SourceEvents> {
  /** The offered tools, sorted by name. It is the same frozen array until something changes, so compare by identity to detect a change. */
  tools(): readonly ToolDescriptor[];
  /** The servers that the tools are of. Missing in a source without servers. */
  servers?(): readonly ServerSnapshot[];
  /**
   * The tools that a text means, best first, of those that `tools()` offers: an exact name, a misspelt one, keywords, a task. Empty if none
   * fits. Synchronous and local; no server need be running. The first search makes the index, of thousands of tools in tenths of a second;
   * an empty text finds nothing, and has it made in the background, in slices.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for a query that is not a string, and for invalid options
   */
  searchTools(query: string, options?: SearchToolsOptions): readonly ToolDescriptor[];
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

/** The events of a runtime. */
export interface McpEvents extends SourceEvents {
  statusChanged: { readonly before: ServerStatus; readonly snapshot: ServerSnapshot };
  catalogChanged: { readonly server: string; readonly kind: "resources" | "prompts" };
  /** A server has shown no sign of life for too long. Its session is dropped, and it is reconnected as after any loss. */
  unhealthy: { readonly server: string; readonly error: ErrorReport };
  /** A subscribed resource has changed. A burst of changes is reported once. */
  resourceUpdated: { readonly server: string; readonly uri: string };
  notification: { readonly server: string; readonly method: string; readonly params: unknown };
  diagnostic: Diagnostic;
}

/**
 * The tools known at compile time, by exposed name, each as `{ server; tool; input; output }`. Empty here: the file that
 * `jackfield types` generates fills it by declaration merging, and TypeScript then checks calls of those tools.
 */
// biome-ignore lint/suspicious/noEmptyInterface: others declare its members.
export interface ToolTypes {}

/** The `ToolTypes` entry of the referenced tool; `never` if there is none. */
type KnownTool<Ref extends ToolRef> = Ref extends keyof ToolTypes
  ? ToolTypes[Ref]
  : Ref extends { readonly server: infer Server; readonly tool: infer Tool }
    ? Extract<ToolTypes[keyof ToolTypes], { readonly server: Server; readonly tool: Tool }>
    : never;

/** The arguments of a tool; any JSON object if the tool is not in `ToolTypes`. */
export type ToolInput<Ref extends ToolRef> = [KnownTool<Ref>] extends [never]
  ? JsonObject
  : KnownTool<Ref> extends { readonly input: infer Input }
    ? Input
    : JsonObject;

/** The result of a tool call; `structuredContent` is typed if the tool is in `ToolTypes`. */
export type ToolResultOf<Ref extends ToolRef> = [KnownTool<Ref>] extends [never]
  ? ToolCallResult
  : KnownTool<Ref> extends { readonly output: infer Output }
    ? Omit<ToolCallResult, "structuredContent"> & { structuredContent?: Output | undefined }
    : ToolCallResult;

/** The parameters of a call after the tool. The arguments may be omitted if none is required. */
export type ToolCallParameters<Ref extends ToolRef, Options> =
  // biome-ignore lint/complexity/noBannedTypes: `{}` asks whether nothing is required.
  {} extends ToolInput<Ref>
    ? [args?: ToolInput<Ref> | undefined, options?: Options | undefined]
    : [args: ToolInput<Ref>, options?: Options | undefined];
