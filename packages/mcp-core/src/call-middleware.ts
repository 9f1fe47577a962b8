import type { CallOptions } from "./call-options.ts";
import type { ToolCallResult } from "./content.ts";
import type { ToolDefinition, ToolDescriptor } from "./tool.ts";
import type { JsonObject } from "./values.ts";

/** A call on its way to the server. */
export interface ToolCall {
  readonly tool: ToolDescriptor;
  readonly args: JsonObject;
  readonly options: CallOptions;
}

/** The changes that a middleware makes to a call. */
export interface CallChange {
  /** Replaces the call's arguments. */
  readonly args?: JsonObject | undefined;
  /** Merged over the call's own `_meta`: members of the same name are replaced, all others stay. */
  readonly meta?: JsonObject | undefined;
}

/**
 * Stands between a caller and a server. It may change the arguments, add to the `_meta`, change the result, or refuse the call by
 * throwing an `McpError`. `next` passes the call on; it works once, and rejects when it is called again.
 */
export type CallMiddleware = (
  call: Readonly<ToolCall>,
  next: (change?: CallChange) => Promise<ToolCallResult>,
) => Promise<ToolCallResult>;

/**
 * Decides how a tool is offered: unchanged, with a changed descriptor (never another name or server), or blocked with a reason. A
 * policy that throws blocks the tool. All tools of a list are judged in one turn of the event loop.
 */
export interface ToolListPolicy {
  (tool: ToolDescriptor): ToolDescriptor | { readonly blocked: string };
  /**
   * Called in advance with the definitions of a long list, a few at a time: what it finds out and remembers need not be done in that
   * turn. A definition is deeply frozen, and the same object when its tool is judged. Default: nothing is done in advance.
   */
  readonly prepare?: ((definition: ToolDefinition) => void) | undefined;
}
