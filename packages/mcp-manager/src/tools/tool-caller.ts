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
import { createDeadline, raceSignal } from "../deadline.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { repeatDelay } from "./call-replay.ts";
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
  const until = timeoutMs === 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  for (let made = 1; ; made += 1) {
    try {
      return await sendOnce(tool, args, options, { target, timeoutMs, until });
    } catch (error) {
      const failure = named(error, tool);
      const delayMs = repeatDelay({ error: failure, made, replay: options.replay, tool, limits });
      if (delayMs === undefined || Date.now() + delayMs >= until) throw failure;
      await pause(delayMs, tool, options.signal);
    }
  }
}

/** How long a call may take in all its attempts. */
interface CallTime {
  readonly target: CallTarget;
  /** As the caller knows it. */
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

async function sendOnce(
  tool: ToolDescriptor,
  args: JsonObject,
  options: CallOptions,
  time: CallTime,
): Promise<ToolCallResult> {
  const session = await waitForSession(tool, options, time);
  const params = { name: tool.originalName, arguments: args };
  return session.request("tools/call", params, {
    signal: options.signal,
    timeoutMs: time.timeoutMs === 0 ? 0 : Math.max(1, time.until - Date.now()),
    maxTotalMs: options.maxTotalMs ?? time.target.definition.limits?.maxTotalMs,
    onProgress: options.onProgress,
    meta: options.meta,
    handlers: options.handlers,
    tool: tool.definition,
  });
}

async function pause(delayMs: number, tool: ToolDescriptor, signal: AbortSignal | undefined): Promise<void> {
  if (delayMs === 0) return;
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, delayMs);
  try {
    await (signal === undefined ? over.promise : raceSignal(over.promise, signal));
  } catch {
    throw abortedBeforeSending(tool);
  } finally {
    clearTimeout(timer);
  }
}

/** The wait for a connection is part of the call's own time; what remains is for the request. */
async function waitForSession(
  tool: ToolDescriptor,
  { signal }: CallOptions,
  { target, timeoutMs, until }: CallTime,
): Promise<Session> {
  const message = `Server "${tool.server}" was not ready for tool "${tool.originalName}" within ${timeoutMs} ms; the call was not sent.`;
  using deadline = createDeadline({
    signal,
    timeoutMs: timeoutMs === 0 ? 0 : Math.max(1, until - Date.now()),
    aborted: () => abortedBeforeSending(tool),
    expired: () => new McpError("MCP_CALL_TIMEOUT", message, { ...about(tool), outcome: "not-sent" }),
  });
  deadline.signal.throwIfAborted();
  try {
    return await target.session(deadline);
  } catch (cause) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw unavailable(tool, cause);
  }
}

function abortedBeforeSending(tool: ToolDescriptor): McpError {
  const message = `The call of tool "${tool.originalName}" was aborted; it was not sent.`;
  return new McpError("MCP_ABORTED", message, { ...about(tool), outcome: "not-sent" });
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
