import {
  type CallMiddleware,
  type CallOptions,
  DEFAULT_LIMITS,
  type JsonObject,
  McpError,
  type McpErrorDetails,
  type Session,
  type ToolCallResult,
  type ToolDescriptor,
  toMcpError,
} from "@jackfield/mcp-core";
import { createDeadline } from "../deadline.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { shouldRepeat } from "./call-replay.ts";
import { checkArguments } from "./tool-arguments.ts";

export interface ToolCallerOptions {
  readonly use: readonly CallMiddleware[];
  /** @throws McpError `MCP_SERVER_UNKNOWN` */
  readonly server: (name: string) => CallTarget;
}

/** What a call needs of the tool's server. */
type CallTarget = Pick<ManagedServer, "definition" | "session">;

/** Makes a call: through the middleware, to the session, within its deadline, at most once. */
export type ToolCaller = (
  tool: ToolDescriptor,
  args: JsonObject,
  options: CallOptions,
) => Promise<ToolCallResult>;

export function createToolCaller({ use, server }: ToolCallerOptions): ToolCaller {
  return async (tool, args, options) => {
    const chain = use.reduceRight<Next>(
      (next, middleware) => wrap(middleware, next, tool, options),
      (current) => send(tool, current, options, server(tool.server)),
    );
    try {
      return await chain(args);
    } catch (thrown) {
      throw toMcpError(
        thrown,
        "MCP_INTERNAL",
        `A call middleware failed on tool "${tool.originalName}".`,
        about(tool),
      );
    }
  };
}

type Next = (args: JsonObject) => Promise<ToolCallResult>;

function wrap(middleware: CallMiddleware, next: Next, tool: ToolDescriptor, options: CallOptions): Next {
  return async (args) => {
    let used = false;
    return middleware({ tool, args, options }, async (change) => {
      if (used) {
        const message = `A call middleware tried to make the call of tool "${tool.originalName}" twice.`;
        throw new McpError("MCP_INTERNAL", message, about(tool));
      }
      used = true;
      return next(change?.args ?? args);
    });
  };
}

async function send(
  tool: ToolDescriptor,
  args: JsonObject,
  options: CallOptions,
  target: CallTarget,
): Promise<ToolCallResult> {
  checkArguments(tool, args);
  const limits = target.definition.limits ?? {};
  const timeoutMs = options.timeoutMs ?? limits.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
  for (let made = 1; ; made += 1) {
    try {
      const { session, leftMs } = await waitForSession(tool, options, target, timeoutMs);
      return await session.request(
        "tools/call",
        { name: tool.originalName, arguments: args },
        {
          signal: options.signal,
          timeoutMs: leftMs,
          maxTotalMs: options.maxTotalMs ?? limits.maxTotalMs,
          onProgress: options.onProgress,
          meta: options.meta,
          handlers: options.handlers,
          tool: tool.definition,
        },
      );
    } catch (error) {
      const failure = named(error, tool);
      if (!shouldRepeat({ error: failure, made, replay: options.replay, tool, limits: limits }))
        throw failure;
    }
  }
}

/** The wait for a connection is part of the call's own time; what remains is for the request. */
async function waitForSession(
  tool: ToolDescriptor,
  options: CallOptions,
  target: CallTarget,
  timeoutMs: number,
): Promise<{ session: Session; leftMs: number }> {
  const notSent = { ...about(tool), outcome: "not-sent" } as const;
  using deadline = createDeadline({
    signal: options.signal,
    timeoutMs,
    aborted: () =>
      new McpError(
        "MCP_ABORTED",
        `The call of tool "${tool.originalName}" was aborted; it was not sent.`,
        notSent,
      ),
    expired: () => {
      const message = `Server "${tool.server}" was not ready for tool "${tool.originalName}" within ${timeoutMs} ms; the call was not sent.`;
      return new McpError("MCP_CALL_TIMEOUT", message, notSent);
    },
  });
  deadline.signal.throwIfAborted();
  try {
    const session = await target.session(deadline);
    return { session, leftMs: timeoutMs === 0 ? 0 : Math.max(1, deadline.at - Date.now()) };
  } catch (cause) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw unavailable(tool, cause);
  }
}

/** Why there is no session, told of this call: the same error may answer many callers. */
function unavailable(tool: ToolDescriptor, thrown: unknown): McpError {
  const cause = toMcpError(thrown, "MCP_INTERNAL", "The server could not be reached.");
  const message = `Tool "${tool.originalName}" was not called: ${cause.message}`;
  return new McpError(cause.code, message, { ...cause.toJSON(), ...about(tool), outcome: "not-sent", cause });
}

/** A session knows its server, not the tool a request was for. */
function named(thrown: unknown, tool: ToolDescriptor): McpError {
  const error = toMcpError(
    thrown,
    "MCP_INTERNAL",
    `The call of tool "${tool.originalName}" failed.`,
    about(tool),
  );
  if (error.tool !== undefined) return error;
  return new McpError(error.code, error.message, { ...error.toJSON(), ...about(tool), cause: error.cause });
}

function about(tool: ToolDescriptor): McpErrorDetails {
  return { server: tool.server, tool: tool.originalName, phase: "call" };
}
