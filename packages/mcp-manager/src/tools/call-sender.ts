import {
  type JsonObject,
  McpError,
  raceSignal,
  type Session,
  type SessionRequestOptions,
  startTimer,
  type ToolCall,
  type ToolCallResult,
} from "@jackfield/mcp-core";
import type { SentFailure } from "../server/flight.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { operationDeadline } from "../server/operation-deadline.ts";
import { isUnsent } from "../server/unsent-request.ts";
import { latestRenewal, type WatchedSession } from "../server/watched-session.ts";
import { turnOfTheEventLoop } from "../timer.ts";
import { thisTurn } from "../turn.ts";
import {
  abortedBeforeSending,
  callError,
  detailsOf,
  isToolGone,
  keepUncertainty,
  optionInvalid,
} from "./call-error.ts";
import { repeatDelay } from "./call-replay.ts";
import { type CallTime, createCallTime, type RequestTime, wholeTime } from "./call-time.ts";
import type { FindingPlace } from "./found-tool.ts";
import { waitForListedServer } from "./server-wait.ts";
import { changeOf, refuseIfOther, refuseIfUnlisted } from "./tool-finder.ts";
import type { ToolRegistry } from "./tool-registry.ts";

/**
 * Sends a call within its deadlines, and again where that is safe or wanted, but only to the tool that was judged (threat T78): just
 * before each write the tool on offer must have the digest of the one that was judged.
 *
 * @param foundOn - where the tool was found. On another session, or on the same one after a renewal, the server's list is waited for, and
 * the tool is refused if it has changed or is not listed there
 * @param isFreshlyFound - the tool was found in this turn, maybe on a session whose end was not yet known. If nothing could be sent, the
 * call counts as new, and may go to a server that does not list its tools
 * @throws McpError whose `outcome` holds for all attempts together.
 */
export function sendCall(
  call: ToolCall,
  target: ManagedServer,
  foundOn: FindingPlace | undefined,
  registry: ToolRegistry,
  isFreshlyFound = false,
): Promise<ToolCallResult> {
  const { options } = call;
  const { limits = {} } = target.definition;
  const began = thisTurn();
  const renewal = latestRenewal();
  const session = target.openSession;
  const goOn = (first?: Failure) => {
    const time = createCallTime(options, limits, began.endedAt);
    return sendUntilSettled(
      { call, target, registry, time, renewal, foundOn, isFreshlyFound, ...NO_ATTEMPT },
      first,
    );
  };
  if (session === undefined || !isAsFound(session, foundOn) || options.signal?.aborted === true)
    return goOn();
  try {
    // The fast path if the server is ready: nothing is made that only a wait or another attempt needs.
    const refusal = refusalOf(call, session, target, registry);
    return sendOnce(call, session, wholeTime(options, limits), refusal, goOn);
  } catch (thrown) {
    return goOn({ thrown, session });
  }
}

/** Whether a session is the one on which a tool was found, and was not renewed since. */
function isAsFound(session: WatchedSession, foundOn: FindingPlace | undefined): boolean {
  return foundOn !== undefined && session === foundOn.session && session.renewal <= foundOn.renewal;
}

/** What a session asks just before it writes the call: credentials, a login or a full queue may have taken their time. */
function refusalOf(
  { tool }: ToolCall,
  session: WatchedSession,
  target: ManagedServer,
  registry: ToolRegistry,
): Refusal {
  const { renewal } = session;
  return () => {
    if (session.renewal === renewal || !target.isRelisting) return changeOf(tool, registry);
    // It waits for the new list, and is judged by that.
    const message = `Server "${tool.server}" began a new session before the call of tool "${tool.originalName}" was sent, and has not listed its tools since.`;
    return new McpError("MCP_SESSION_LOST", message, { ...detailsOf(tool), outcome: "not-sent" });
  };
}

type Refusal = NonNullable<SessionRequestOptions["refusal"]>;

/** An attempt that has failed. */
interface Failure {
  readonly thrown: unknown;
  /** The session it was sent on, if it got that far. */
  readonly session: WatchedSession | undefined;
}

/** Waits for a session if there is none, and goes on after a failure as long as that is safe or wanted. */
async function sendUntilSettled(attempts: Attempts, first?: Failure): Promise<ToolCallResult> {
  const { call, time } = attempts;
  for (let failure = first; ; ) {
    const delayMs = failure === undefined ? 0 : delayAfter(failure, attempts);
    let session: WatchedSession | undefined;
    try {
      refuseIfAborted(call);
      if (delayMs > 0) await pause(delayMs, call);
      else if (attempts.unusable !== undefined) await turnOfTheEventLoop();
      refuseIfAborted(call);
      session = await judgedSession(attempts);
      const { target, registry } = attempts;
      return await sendOnce(call, session, time.left(), refusalOf(call, session, target, registry));
    } catch (thrown) {
      failure = { thrown, session };
    }
  }
}

/** The attempts at one call. */
interface Attempts {
  readonly call: ToolCall;
  readonly target: ManagedServer;
  readonly registry: ToolRegistry;
  readonly time: CallTime;
  /** The latest renewal of any session when the call began. */
  readonly renewal: number;
  /** Where the judged tool was found. */
  readonly foundOn: FindingPlace | undefined;
  readonly isFreshlyFound: boolean;
  /** See `ReplayQuestion`. */
  mayHaveRun: number;
  unsent: number;
  refused: number;
  /** The session of the last attempt, if that could not be sent. */
  unusable: Session | undefined;
  /** The error of the last attempt that may have run. */
  uncertain: McpError | undefined;
}

const NO_ATTEMPT = { mayHaveRun: 0, unsent: 0, refused: 0, unusable: undefined, uncertain: undefined };

/**
 * The session, once there is one.
 *
 * @throws McpError why there is none, or that the tool has changed or is not listed.
 */
async function judgedSession(attempts: Attempts): Promise<WatchedSession> {
  const { call, target, registry, time, foundOn, isFreshlyFound, unsent, refused, mayHaveRun } = attempts;
  const { openSession } = target;
  if (openSession !== undefined && isAsFound(openSession, foundOn)) return openSession;
  const session = await waitForListedServer(call, time, target);
  refuseIfOther(call.tool, registry);
  const isLikeNew = isFreshlyFound && unsent > 0 && refused + mayHaveRun === 0;
  if (!isLikeNew) refuseIfUnlisted(call.tool, registry, target);
  return session;
}

/**
 * How long to wait after a failed attempt before the next, in milliseconds.
 *
 * @throws McpError for all attempts together, if there is no next one.
 */
function delayAfter(failure: Failure, attempts: Attempts): number {
  const { call, target, registry, time } = attempts;
  const { tool, options } = call;
  const error = callError(failure.thrown, tool, options.signal);
  // Without a session the wait itself has failed.
  if (failure.session === undefined) throw keepUncertainty(error, attempts.uncertain, tool);
  count(failure.session, error, attempts);
  const { mayHaveRun, unsent, refused } = attempts;
  const delayMs = repeatDelay({
    error,
    mayHaveRun,
    unsent,
    refused,
    wasRenewed: failure.session.renewal > attempts.renewal,
    replay: options.replay,
    tool: registry.find(tool.server, tool.originalName),
    limits: target.definition.limits ?? {},
  });
  if (delayMs !== undefined && delayMs < time.leftMs()) return delayMs;
  if (isToolGone(error)) void relist(target);
  throw keepUncertainty(error, attempts.uncertain, tool);
}

function count(session: Session, error: McpError, attempts: Attempts): void {
  const { unusable } = attempts;
  attempts.unusable = undefined;
  if (error.outcome === "unknown") {
    attempts.uncertain = error;
    attempts.mayHaveRun += 1;
    attempts.unsent = 0;
    attempts.refused = 0;
    attempts.time.worked();
  } else if (isUnsent(error)) {
    attempts.unsent += 1;
    attempts.unusable = session;
    // Over HTTP a connection may break while its session goes on. One that fails twice in a row has ended, whatever it says.
    if (unusable === session) attempts.target.reportLoss(session, error);
  } else attempts.refused += 1;
}

function sendOnce(
  { tool, args, options }: ToolCall,
  session: WatchedSession,
  { timeoutMs, maxTotalMs }: RequestTime,
  refusal: Refusal,
  goOn?: (failure: SentFailure) => Promise<ToolCallResult>,
): Promise<ToolCallResult> {
  const params = { name: tool.originalName, arguments: args };
  const { signal, onProgress, meta, handlers, inputRequired, inputResponses, requestState } = options;
  const request = {
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
    refusal,
  };
  const refused = refusal(); // A connector of the program's own may not ask.
  if (refused !== undefined) throw refused;
  return session.request("tools/call", params, request, goOn);
}

/** Copied because a session may add to what it sends; the caller's object must not change ([T41]). */
function copied(meta: JsonObject, tool: ToolCall["tool"]): JsonObject {
  try {
    return structuredClone(meta);
  } catch {
    throw optionInvalid(`option "meta" must be JSON`, { server: tool.server, tool: tool.originalName });
  }
}

function refuseIfAborted({ tool, options: { signal } }: ToolCall): void {
  if (signal?.aborted === true) throw abortedBeforeSending(tool);
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

/** Reads the outdated list again. The call is not repeated: its caller decides by the new list. */
async function relist(target: ManagedServer): Promise<void> {
  using deadline = operationDeadline(target, "list", {});
  // The server reports a failure itself.
  await target.refreshTools(deadline).catch(() => {});
}
