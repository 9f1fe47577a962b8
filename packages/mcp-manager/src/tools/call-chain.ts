import {
  type CallChange,
  type CallMiddleware,
  type CallOptions,
  type JsonObject,
  McpError,
  type ToolCallResult,
  type ToolDescriptor,
  toMcpError,
} from "@jackfield/mcp-core";
import { abortedBeforeSending, about } from "./call-error.ts";

/** Makes the call of a tool that has been found. */
export type MakeCall = (
  tool: ToolDescriptor,
  args: JsonObject,
  options: CallOptions,
) => Promise<ToolCallResult>;

/** Puts middleware around a call, the first outermost. Whatever it does, the caller gets a result or an `McpError`. */
export function throughMiddleware(use: readonly CallMiddleware[], call: MakeCall): MakeCall {
  if (use.length === 0) return call;
  const chain = use.reduceRight<MakeCall>((next, middleware) => within(middleware, next), call);
  return async (tool, args, options) => {
    const { signal } = options;
    if (signal?.aborted === true) throw abortedBeforeSending(tool);
    try {
      const result = chain(tool, args, options);
      return await (signal === undefined ? result : unlessAborted(result, tool, signal));
    } catch (thrown) {
      const message = `A call middleware failed on tool "${tool.originalName}".`;
      throw toMcpError(thrown, "MCP_INTERNAL", message, about(tool));
    }
  };
}

function within(middleware: CallMiddleware, next: MakeCall): MakeCall {
  return async (tool, args, options) => {
    let used = false;
    const goOn = (change?: CallChange) => {
      if (used) return Promise.reject(misbehaved(tool, "tried to make the call twice"));
      used = true;
      return next(tool, change?.args ?? args, withMeta(options, change?.meta));
    };
    const result: unknown = await middleware({ tool, args, options }, goOn);
    if (typeof result !== "object" || result === null) throw misbehaved(tool, "gave no result");
    return result as ToolCallResult;
  };
}

function withMeta(options: CallOptions, meta: JsonObject | undefined): CallOptions {
  return meta === undefined ? options : { ...options, meta: { ...options.meta, ...meta } };
}

/** Middleware that does not listen to the signal does not keep the caller: what is nearer the server is heard first, then nobody. */
async function unlessAborted(
  result: Promise<ToolCallResult>,
  tool: ToolDescriptor,
  signal: AbortSignal,
): Promise<ToolCallResult> {
  const aborted = Promise.withResolvers<never>();
  const message = `The call of tool "${tool.originalName}" was aborted; it may have been carried out.`;
  const giveUp = () =>
    setImmediate(() =>
      aborted.reject(new McpError("MCP_ABORTED", message, { ...about(tool), outcome: "unknown" })),
    );
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([result, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function misbehaved(tool: ToolDescriptor, how: string): McpError {
  const message = `A call middleware ${how} (tool "${tool.originalName}" of server "${tool.server}").`;
  return new McpError("MCP_INTERNAL", message, about(tool));
}
