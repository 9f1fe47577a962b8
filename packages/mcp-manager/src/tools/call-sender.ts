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
import type { ManagedServer } from "../server/managed-server.ts";
import { operationDeadline } from "../server/operation-deadline.ts";
import { isUnsent, turnOfTheEventLoop } from "../server/unsent-request.ts";
import { latestRenewal, type WatchedSession } from "../server/watched-session.ts";
import {
  abortedBeforeSending,
  callError,
  detailsOf,
  isToolGone,
  keepUncertainty,
  optionInvalid,
} from "./call-error.ts";
import { repeatDelay } from "./call-replay.ts";
import { CallTime, waitForListedServer } from "./call-time.ts";
import { changeOf, type FindingPlace, refuseIfOther, refuseIfUnlisted } from "./tool-finder.ts";
import type { ToolRegistry } from "./tool-registry.ts";

/** A call that is ready to be sent. */
export interface Sending {
  readonly call: ToolCall;
  readonly server: ManagedServer;
  readonly registry: ToolRegistry;
  /**
   * Where the tool was found. On another session, or on the same one after a renewal, the server's list is waited for, and the tool is
   * refused if it has changed or is not listed there.
   */
  readonly foundOn: FindingPlace | undefined;
  /**
   * The tool was found in this turn, maybe on a session whose end was not yet known. If nothing could be sent, the call counts as new, and
   * may go to a server that does not list its tools.
   */
  readonly isFreshlyFound: boolean;
}

/**
 * Sends a call within its deadlines, and again where that is safe or wanted, but only to the tool that was judged (threat T78): just
 * before each write the tool on offer must have the digest of the one that was judged.
 *
 * @throws McpError whose `outcome` holds for all attempts together.
 */
export async function sendCall(sending: Sending): Promise<ToolCallResult> {
  const { call, server } = sending;
  const attempts = new Attempts(sending);
  for (let delayMs = 0; ; ) {
    let session: WatchedSession | undefined;
    try {
      refuseIfAborted(call);
      if (delayMs > 0) await pause(delayMs, call);
      else if (attempts.unusable !== undefined) await turnOfTheEventLoop();
      refuseIfAborted(call);
      const { openSession } = server;
      // A session on which the tool was found is used in the same turn.
      session = isAsFound(openSession, sending.foundOn) ? openSession : await attempts.judgedSession();
      return await send(sending, session, attempts.time);
    } catch (thrown) {
      delayMs = attempts.delayAfter(thrown, session);
    }
  }
}

/** Whether a session is the one on which a tool was found, and was not renewed since. */
function isAsFound(
  session: WatchedSession | undefined,
  foundOn: FindingPlace | undefined,
): session is WatchedSession {
  if (session === undefined || foundOn === undefined) return false;
  return session === foundOn.session && session.renewal <= foundOn.renewal;
}

/** The attempts at one call. */
class Attempts {
  readonly #sending: Sending;
  readonly time: CallTime;
  /** The latest renewal of any session when the call began. */
  readonly #renewal = latestRenewal();
  /** See `ReplayQuestion`. */
  #mayHaveRun = 0;
  #unsent = 0;
  #refused = 0;
  /** The session of the last attempt, if that could not be sent. */
  unusable: Session | undefined;
  /** The error of the last attempt that may have run. */
  #uncertain: McpError | undefined;

  constructor(sending: Sending) {
    this.#sending = sending;
    this.time = new CallTime(sending.call.options, sending.server.definition.limits);
  }

  /**
   * The session, once there is one.
   *
   * @throws McpError why there is none, or that the tool has changed or is not listed.
   */
  async judgedSession(): Promise<WatchedSession> {
    const { call, server, registry, isFreshlyFound } = this.#sending;
    const session = await waitForListedServer(call, this.time, server);
    refuseIfOther(call.tool, registry);
    const isLikeNew = isFreshlyFound && this.#unsent > 0 && this.#refused + this.#mayHaveRun === 0;
    if (!isLikeNew) refuseIfUnlisted(call.tool, registry, server);
    return session;
  }

  /**
   * How long to wait after a failed attempt before the next, in milliseconds.
   *
   * @param session - the one it was sent on, if it got that far
   * @throws McpError for all attempts together, if there is no next one.
   */
  delayAfter(thrown: unknown, session: WatchedSession | undefined): number {
    const { call, server, registry } = this.#sending;
    const { tool, options } = call;
    const error = callError(thrown, tool, options.signal);
    // Without a session the wait itself has failed.
    if (session === undefined) throw keepUncertainty(error, this.#uncertain, tool);
    this.#count(session, error);
    const delayMs = repeatDelay({
      error,
      mayHaveRun: this.#mayHaveRun,
      unsent: this.#unsent,
      refused: this.#refused,
      hasEnded: server.openSession !== session,
      wasRenewed: session.renewal > this.#renewal,
      replay: options.replay,
      tool: registry.find(tool.server, tool.originalName),
      limits: server.definition.limits ?? {},
    });
    if (delayMs !== undefined && delayMs < this.time.leftMs()) return delayMs;
    if (isToolGone(error)) void relist(server);
    throw keepUncertainty(error, this.#uncertain, tool);
  }

  #count(session: Session, error: McpError): void {
    const { unusable } = this;
    const { maxConcurrentCalls = 0 } = this.#sending.server.definition.limits ?? {};
    // It may have waited for its turn, which is no silence of the server.
    if (maxConcurrentCalls > 0) this.time.worked();
    this.unusable = undefined;
    if (error.outcome === "unknown") {
      this.#uncertain = error;
      this.#mayHaveRun += 1;
      this.#unsent = 0;
      this.#refused = 0;
      this.time.worked();
    } else if (isUnsent(error)) {
      this.#unsent += 1;
      this.unusable = session;
      // Over HTTP a connection may break while its session goes on. One that fails twice in a row has ended, whatever it says.
      if (unusable === session) this.#sending.server.reportLoss(session, error);
    } else this.#refused += 1;
  }
}

function send(sending: Sending, session: WatchedSession, time: CallTime): Promise<ToolCallResult> {
  const { tool, args, options } = sending.call;
  const { signal, onProgress, meta, handlers, inputRequired, inputResponses, requestState } = options;
  const refusal = refusalOf(sending, session);
  const refused = refusal(); // A connector of the program's own may not ask.
  if (refused !== undefined) throw refused;
  return session.request(
    "tools/call",
    { name: tool.originalName, arguments: args },
    {
      signal,
      ...time.left(),
      onProgress,
      meta: meta === undefined ? undefined : copied(meta, tool),
      handlers,
      inputRequired,
      inputResponses,
      requestState,
      tool: tool.definition,
      refusal,
    },
  );
}

/** What a session asks just before it writes the call: credentials, a login or a full queue may have taken their time. */
function refusalOf(
  { call: { tool }, server, registry }: Sending,
  session: WatchedSession,
): NonNullable<SessionRequestOptions["refusal"]> {
  const { renewal } = session;
  return () => {
    if (session.renewal === renewal || !server.isRelisting) return changeOf(tool, registry);
    // It waits for the new list, and is judged by that.
    const message = `Server "${tool.server}" began a new session before the call of tool "${tool.originalName}" was sent, and has not listed its tools since.`;
    return new McpError("MCP_SESSION_LOST", message, { ...detailsOf(tool), outcome: "not-sent" });
  };
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
async function relist(server: ManagedServer): Promise<void> {
  using deadline = operationDeadline(server, "list", {});
  // The server reports a failure itself.
  await server.refreshTools(deadline).catch(() => {});
}
