import {
  type CallChange,
  type CallMiddleware,
  type CallOptions,
  type JsonObject,
  McpError,
  type ToolCall,
  type ToolCallResult,
  type ToolDescriptor,
  toMcpError,
} from "@jackfield/mcp-core";
import { abortedBeforeSending, about } from "./call-error.ts";

/** Makes the call of a tool that has been found. May throw at once as well. */
export type MakeCall = (
  tool: ToolDescriptor,
  args: JsonObject,
  options: CallOptions,
) => Promise<ToolCallResult>;

/** Puts middleware around a call, the first outermost. Whatever it does, the caller gets a result or an `McpError`. */
export function throughMiddleware(use: readonly CallMiddleware[], call: MakeCall): MakeCall {
  const [outermost, ...others] = use;
  if (outermost === undefined) return call;
  const through = (inner: MakeCall) =>
    others.reduceRight<MakeCall>((next, middleware) => within(middleware, next), inner);
  const next = through(call);
  return async (tool, args, options) => {
    const { signal } = options;
    if (signal?.aborted === true) throw abortedBeforeSending(tool);
    try {
      if (signal === undefined) return resultOf(await enter(outermost, next, { tool, args, options }), tool);
      let wasMade = false;
      const noted = through((...made) => {
        wasMade ||= !signal.aborted; // What comes after the abort is not sent.
        return call(...made);
      });
      const result = enter(outermost, noted, { tool, args, options });
      return resultOf(await unlessAborted(result, tool, signal, () => wasMade), tool);
    } catch (thrown) {
      const message = `A call middleware failed on tool "${tool.originalName}".`;
      throw toMcpError(thrown, "MCP_INTERNAL", message, about(tool));
    }
  };
}

function within(middleware: CallMiddleware, next: MakeCall): MakeCall {
  return async (tool, args, options) =>
    resultOf(await enter(middleware, next, { tool, args, options }), tool);
}

/** Hands a call to a middleware. What it makes of it may be anything. */
function enter(middleware: CallMiddleware, next: MakeCall, call: ToolCall): Promise<unknown> {
  const { tool, args, options } = call;
  let used = false;
  return middleware(call, (change?: CallChange) => {
    if (used) return Promise.reject(misbehaved(tool, "tried to make the call twice"));
    used = true;
    try {
      return next(tool, change?.args ?? args, withMeta(options, change?.meta));
    } catch (error) {
      return Promise.reject(error);
    }
  });
}

function resultOf(result: unknown, tool: ToolDescriptor): ToolCallResult {
  if (typeof result !== "object" || result === null) throw misbehaved(tool, "gave no result");
  return result as ToolCallResult;
}

function withMeta(options: CallOptions, meta: JsonObject | undefined): CallOptions {
  return meta === undefined ? options : { ...options, meta: { ...options.meta, ...meta } };
}

/** Middleware that does not listen to the signal does not keep the caller: what is nearer the server is heard first, then nobody. */
async function unlessAborted(
  result: Promise<unknown>,
  tool: ToolDescriptor,
  signal: AbortSignal,
  wasMade: () => boolean,
): Promise<unknown> {
  const aborted = Promise.withResolvers<never>();
  const giveUp = () =>
    setImmediate(() => aborted.reject(wasMade() ? abortedOnItsWay(tool) : abortedBeforeSending(tool)));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([result, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function abortedOnItsWay(tool: ToolDescriptor): McpError {
  const message = `The call of tool "${tool.originalName}" was aborted; it may have been carried out.`;
  return new McpError("MCP_ABORTED", message, { ...about(tool), outcome: "unknown" });
}

function misbehaved(tool: ToolDescriptor, how: string): McpError {
  const message = `A call middleware ${how} (tool "${tool.originalName}" of server "${tool.server}").`;
  return new McpError("MCP_INTERNAL", message, about(tool));
}
