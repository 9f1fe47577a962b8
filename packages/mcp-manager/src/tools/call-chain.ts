import {
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
    if (options.signal?.aborted === true) throw abortedBeforeSending(tool);
    try {
      return await unlessAborted(chain(tool, args, options), tool, options);
    } catch (thrown) {
      const message = `A call middleware failed on tool "${tool.originalName}".`;
      throw toMcpError(thrown, "MCP_INTERNAL", message, about(tool));
    }
  };
}

function within(middleware: CallMiddleware, next: MakeCall): MakeCall {
  return async (tool, args, options) => {
    let used = false;
    const result: unknown = await middleware({ tool, args, options }, async (change) => {
      if (used) throw misbehaved(tool, "tried to make the call twice");
      used = true;
      return next(tool, change?.args ?? args, options);
    });
    if (typeof result !== "object" || result === null) throw misbehaved(tool, "gave no result");
    return result as ToolCallResult;
  };
}

/** Middleware that does not listen to the signal does not keep the caller: what is nearer the server is heard first, then nobody. */
async function unlessAborted(
  result: Promise<ToolCallResult>,
  tool: ToolDescriptor,
  { signal }: CallOptions,
): Promise<ToolCallResult> {
  if (signal === undefined) return result;
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
