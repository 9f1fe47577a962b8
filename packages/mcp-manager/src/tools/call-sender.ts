import {
  isMcpError,
  type JsonObject,
  type McpError,
  type Session,
  type ToolCall,
  type ToolCallResult,
} from "@jackfield/mcp-core";
import { raceSignal } from "../deadline.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { operationDeadline } from "../server/operation-deadline.ts";
import { startTimer } from "../timer.ts";
import { abortedBeforeSending, callError, isToolGone, keepUncertainty, optionInvalid } from "./call-error.ts";
import { repeatDelay } from "./call-replay.ts";
import { type CallTime, createCallTime, type RequestTime } from "./call-time.ts";
import { waitForServer } from "./server-wait.ts";

/**
 * Sends a call within its deadlines, and once more where that is safe or wanted.
 *
 * @throws McpError whose `outcome` holds for all attempts together.
 */
export function sendCall(call: ToolCall, target: ManagedServer): Promise<ToolCallResult> {
  const time = createCallTime(call.options, target.definition.limits ?? {});
  const session = target.openSession;
  if (session === undefined || call.options.signal?.aborted === true)
    return sendUntilSettled(call, target, time);
  const onFailure = (thrown: unknown) => sendUntilSettled(call, target, time, { thrown, session });
  try {
    // Where the server is ready nothing is waited for, and nothing is made that a wait or another attempt would need.
    return sendOnce(call, session, time.whole()).catch(onFailure);
  } catch (thrown) {
    return onFailure(thrown);
  }
}

/** An attempt that has failed. */
interface Failure {
  readonly thrown: unknown;
  /** The session it was sent on, if it got that far. */
  readonly session: Session | undefined;
}

/** Waits for a session where there is none, and goes on after a failure as long as that is safe or wanted. */
async function sendUntilSettled(
  call: ToolCall,
  target: ManagedServer,
  time: CallTime,
  first?: Failure,
): Promise<ToolCallResult> {
  const attempts: Attempts = { call, target, time, mayHaveRun: 0, didNotRun: 0 };
  for (let failure = first; ; ) {
    const delayMs = failure === undefined ? 0 : delayAfter(failure, attempts);
    let session: Session | undefined;
    try {
      refuseIfAborted(call);
      if (delayMs > 0) await pause(delayMs, call);
      else if (failure !== undefined && isUnsent(failure)) await turnOfTheEventLoop();
      refuseIfAborted(call);
      session =
        target.openSession ?? (await waitForServer(call, time, (deadline) => target.session(deadline)));
      return await sendOnce(call, session, time.left());
    } catch (thrown) {
      failure = { thrown, session };
    }
  }
}

/** The attempts at one call. */
interface Attempts {
  readonly call: ToolCall;
  readonly target: ManagedServer;
  readonly time: CallTime;
  /** See `ReplayQuestion`. */
  mayHaveRun: number;
  didNotRun: number;
  /** Of the last one that may have run. */
  uncertain?: McpError;
}

/**
 * How long to wait after a failed attempt before the next, in milliseconds.
 *
 * @throws McpError for all attempts together, if there is to be no other.
 */
function delayAfter(failure: Failure, attempts: Attempts): number {
  const { call, target, time } = attempts;
  const { tool, options } = call;
  const error = callError(failure.thrown, tool, options.signal);
  if (error.outcome === "unknown") {
    attempts.uncertain = error;
    attempts.mayHaveRun += 1;
    attempts.didNotRun = 0;
    time.worked();
  } else attempts.didNotRun += 1;
  const limits = target.definition.limits ?? {};
  const { mayHaveRun, didNotRun } = attempts;
  // Over HTTP a connection may break whose session goes on. One that cannot be used twice in a row has ended, whatever it says.
  if (failure.session !== undefined && isUnsent(failure) && didNotRun > 1)
    target.lose(failure.session, error);
  const delayMs = repeatDelay({ error, mayHaveRun, didNotRun, replay: options.replay, tool, limits });
  if (delayMs !== undefined && delayMs < time.leftMs()) return delayMs;
  if (isToolGone(error)) void relist(target);
  throw keepUncertainty(error, attempts.uncertain, tool);
}

function sendOnce(
  { tool, args, options }: ToolCall,
  session: Session,
  { timeoutMs, maxTotalMs }: RequestTime,
): Promise<ToolCallResult> {
  const params = { name: tool.originalName, arguments: args };
  const { signal, onProgress, meta, handlers, inputRequired, inputResponses, requestState } = options;
  return session.request("tools/call", params, {
    signal,
    timeoutMs,
    maxTotalMs,
    onProgress,
    meta: meta === undefined ? undefined : copied(meta, tool),
    handlers,
    inputRequired,
    inputResponses,
    requestState,
    tool: tool.definition,
  });
}

/** A session may add to what it sends; what the caller holds stays as it is ([T41]). */
function copied(meta: JsonObject, tool: ToolCall["tool"]): JsonObject {
  try {
    return structuredClone(meta);
  } catch {
    throw optionInvalid(`option "meta" must be JSON`, { server: tool.server, tool: tool.originalName });
  }
}

/** Whether the session was of no use: it has ended and says so a moment later, or only its connection broke. */
function isUnsent({ thrown, session }: Failure): boolean {
  return session !== undefined && isMcpError(thrown, "MCP_SESSION_LOST") && thrown.outcome === "not-sent";
}

function refuseIfAborted({ tool, options: { signal } }: ToolCall): void {
  if (signal?.aborted === true) throw abortedBeforeSending(tool);
}

function turnOfTheEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function pause(delayMs: number, { tool, options: { signal } }: ToolCall): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = startTimer(over.resolve, delayMs);
  try {
    await (signal === undefined ? over.promise : raceSignal(over.promise, signal));
  } catch {
    throw abortedBeforeSending(tool);
  } finally {
    clearTimeout(timer);
  }
}

/** The list the tool came from is out of date. The call is left to whoever reads the new one. */
async function relist(target: ManagedServer): Promise<void> {
  using deadline = operationDeadline(target, "list", {});
  // Whoever watches the server is told if this fails.
  await target.refreshTools(deadline).catch(() => {});
}
