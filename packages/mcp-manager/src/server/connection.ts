import {
  type ConnectOptions,
  type Connector,
  createDeadline,
  DEFAULT_LIMITS,
  type Deadline,
  isSameJson,
  type Logger,
  type LongTimer,
  McpError,
  type PriorHandshake,
  type ResolvedServer,
  type ResolveOptions,
  type ResolveServer,
  raceSignal,
  type ServerDefinition,
  type Session,
  setLongTimer,
  thrownMessage,
  thrownText,
  toMcpError,
} from "@jackfield/mcp-core";
import type { ResourceSubscriptions } from "../context/resource-subscriptions.ts";
import { PendingWork } from "../pending-work.ts";
import { givenUpError, goneError } from "./gone-error.ts";
import type { HandshakePacing } from "./handshake-pacing.ts";
import { nextRetry, type RetryPolicy, spentAttempts } from "./retry-policy.ts";
import type { ServerValues } from "./server-values.ts";
import { decideSession } from "./session-answer.ts";
import { INITIAL_STATE, type ServerEvent, type ServerState, transition } from "./state.ts";
import { type CallCounts, WatchedSession } from "./watched-session.ts";

/** The server that owns the connection. */
export interface ConnectionSubject {
  /** As it is now: filters and limits may change while a session is up. */
  readonly definition: ServerDefinition;
  /** The user of the manager; `undefined` for the owner. */
  readonly principal: string | undefined;
  /** What the catalog knows of an earlier handshake. */
  readonly prior: PriorHandshake | undefined;
  /** How long a session may be unused, in milliseconds; `0` = for ever. */
  readonly idleTimeoutMs: number;
  readonly counts: CallCounts;
  /** The session while the state is `ready`. The connection sets it with each state. */
  openSession: WatchedSession | undefined;
  readonly context: { readonly subscriptions: Pick<ResourceSubscriptions, "hasListeners"> };
  /** The values by which it is reached. The connection sets them before each attempt. */
  resolved: ResolvedServer | undefined;
  /** Called after each change of state, in order. Must not throw. */
  changed(before: ServerState, after: ServerState): void;
}

/** How the servers of a manager are connected. */
export interface ConnectionSettings extends Pick<ConnectOptions, "handlers" | "auth"> {
  readonly connect: Connector;
  readonly resolve: ResolveServer;
  readonly values: ServerValues;
  readonly retry: RetryPolicy;
  /** Spreads the retries of many servers. */
  readonly pacing: HandshakePacing;
  readonly log: Logger;
  /** How long a session may take to close before it is left behind, in milliseconds. */
  readonly closeTimeoutMs: number;
}

/** For whom a server is reached: a shared one for nobody, so that all users have the same session and the same catalog entry. */
export function reachedFor({ shared }: ServerDefinition, user: string | undefined): string | undefined {
  return shared === true ? undefined : user;
}

/**
 * One server's connection. It acts on each new state, and owns the attempt, the session and the timer. It decides nothing:
 * `transition`, `decideSession` and `nextRetry` do.
 */
export class Connection {
  readonly #subject: ConnectionSubject;
  readonly #settings: ConnectionSettings;
  state: ServerState = INITIAL_STATE;
  /** Resolves at the next state change; made on demand. */
  #change: PromiseWithResolvers<ServerState> | undefined;
  #timer: LongTimer | undefined;
  #wasEverReady = false;
  /** Fills in the values for the next attempt; missing: anew. */
  #resolveNext: ResolveServer | undefined;
  /** A reconnect under way, shared by concurrent callers; cleared when its attempt is over. */
  #restarting: Promise<Session> | undefined;
  /** What is still ending: aborted attempts and closing sessions. */
  readonly #ending = new PendingWork();

  /** @param predecessor - the closing of a replaced server of this name; the first attempt waits for it */
  constructor(subject: ConnectionSubject, settings: ConnectionSettings, predecessor?: Promise<unknown>) {
    this.#subject = subject;
    this.#settings = settings;
    if (predecessor !== undefined) this.#end(predecessor);
  }

  /**
   * Connects if the server is idle and was not disconnected on purpose.
   *
   * @param resolve - fills in the values for that attempt
   */
  wake(resolve: ResolveServer): void {
    if (this.state.status !== "idle" || this.state.disconnected) return;
    this.#resolveNext = resolve;
    this.#dispatch({ type: "connect" });
  }

  /**
   * Returns the session, or waits for one, connecting if need be.
   *
   * @throws McpError why there is none.
   */
  async session(deadline: Deadline): Promise<WatchedSession> {
    const { retry } = this.#settings;
    const server = this.#subject.definition.name;
    for (let isFirst = true; ; isFirst = false) {
      const request = { server, now: Date.now, latest: deadline.at, retry, isFirst };
      const answer = decideSession(this.state, request);
      if (typeof answer === "object" && "session" in answer) return answer.session;
      if (typeof answer === "object") throw answer.refusal;
      if (answer === "connect") {
        this.#dispatch({ type: "connect" });
        continue; // A listener may have changed the state.
      }
      using _held = this.#timer?.hold(); // Keeps the process alive: a call without a limit has no timer of its own.
      await raceSignal(this.nextState(), deadline.signal);
    }
  }

  /** Resolves at the next change of state. */
  nextState(): Promise<ServerState> {
    this.#change ??= Promise.withResolvers();
    return this.#change.promise;
  }

  /** Replaces any connection by a new one and waits for it; concurrent calls share one reconnect ([R3]). */
  reconnect(signal: AbortSignal): Promise<Session> {
    const restarting = this.#restarting ?? this.#restart();
    if (this.state.status === "connecting") this.#restarting = restarting;
    return raceSignal(restarting, signal);
  }

  /** Treats the session as lost, if it is still in use: closes it and reconnects the server as after any loss. */
  reportLoss(session: Session, error: McpError): void {
    this.#sessionEnded(session, error);
  }

  /** Closes the session; `disconnected`: only `reconnect` connects again. */
  async release(disconnected: boolean): Promise<void> {
    this.#dispatch({ type: "release", disconnected });
    await this.#ended();
  }

  /** Closes for good. Resolves when nothing is left, at most after `closeTimeoutMs`. */
  async close(): Promise<void> {
    this.#dispatch({ type: "close" });
    await this.#ended();
    this.#dispatch({ type: "ended" });
  }

  async #restart(): Promise<Session> {
    this.#refuseIfClosed();
    this.#dispatch({ type: "release", disconnected: false });
    this.#dispatch({ type: "connect" });
    let state: ServerState = this.state;
    if (state.status === "connecting") state = await this.nextState();
    if (state.status === "ready") return state.session;
    if (state.status === "backoff" || state.status === "failed") throw state.error;
    throw this.#goneError();
  }

  #refuseIfClosed(): void {
    const { status } = this.state;
    if (status === "closing" || status === "closed") throw this.#goneError();
  }

  #goneError(): McpError {
    return goneError(this.#subject.definition.name, this.state.status === "idle");
  }

  /** Applies an event; false if it does not apply in this state. The only place where the state changes. */
  #dispatch(event: ServerEvent): boolean {
    const before = this.state;
    const after = transition(before, event);
    if (after === undefined) return false;
    this.state = after;
    this.#subject.openSession = after.status === "ready" ? after.session : undefined;
    this.#leave(before, event);
    this.#enter(after);
    const change = this.#change;
    this.#change = undefined;
    change?.resolve(after);
    this.#subject.changed(before, after);
    return true;
  }

  #leave(state: ServerState, event: ServerEvent): void {
    if (state.status === "backoff") this.#timer?.clear();
    if (state.status === "connecting") this.#restarting = undefined;
    if (state.status === "connecting" && event.type !== "opened") state.abort.abort();
    if (state.status !== "ready") return;
    // Callers are rejected before the session is closed ([S3]); a lost session rejects its requests itself, which is more exact.
    if (event.type === "lost") state.session.markLost(event.error);
    else state.session.rejectInFlight(() => givenUpError(this.#subject.definition.name, event));
    this.#end(state.session.close());
  }

  #enter(state: ServerState): void {
    if (state.status === "connecting") this.#end(this.#attempt(state, this.#ended()));
    if (state.status === "ready") this.#wasEverReady = true;
    if (state.status === "backoff") {
      // A pending retry keeps the process alive only while a caller waits for it.
      this.#timer = setLongTimer(state.retryAt, () => this.#dispatch({ type: "connect" }));
    }
  }

  async #attempt(
    state: Extract<ServerState, { status: "connecting" }>,
    earlier: Promise<void>,
  ): Promise<void> {
    const { connect, handlers, auth, closeTimeoutMs, log } = this.#settings;
    const { definition } = this.#subject;
    const resolve = this.#resolveNext ?? this.#settings.resolve;
    this.#resolveNext = undefined;
    const principal = reachedFor(definition, this.#subject.principal);
    const { signal } = state.abort;
    try {
      await raceSignal(earlier, signal); // The last session ends before the next begins: a server never has two ([H5]).
      const server = await resolveInTime(resolve, definition, { signal, principal });
      this.#subject.resolved = server;
      const opened = await connect(server, {
        signal,
        principal,
        handlers,
        auth,
        closeTimeoutMs,
        log,
        prior: this.#subject.prior,
      });
      const session = this.#watch(opened);
      if (this.state !== state || !this.#dispatch({ type: "opened", session, now: Date.now() })) {
        await session.close();
        return;
      }
      session.onClose((cause) => this.#sessionEnded(session, cause));
    } catch (thrown) {
      if (this.state === state) this.#lost(this.#asError(thrown), state.attempt, undefined);
    }
  }

  #watch(opened: Session): WatchedSession {
    const session: WatchedSession = new WatchedSession(opened, this.#subject, {
      values: this.#settings.values.of(opened),
      refused: (error) => this.#sessionEnded(session, error),
      idle: () => {
        // Without its session a subscription would say nothing.
        if (!this.#isCurrent(session) || this.#subject.context.subscriptions.hasListeners) return;
        session.markIdle();
        void this.release(false);
      },
    });
    return session;
  }

  #isCurrent(session: WatchedSession): boolean {
    return this.state.status === "ready" && this.state.session === session;
  }

  #sessionEnded(session: Session, cause: McpError | undefined): void {
    const state = this.state;
    if (state.status !== "ready" || state.session !== session) return;
    // Connecting again would wake the lender, and its session would be idle again after a while.
    if (cause === undefined && state.session.isIdle) {
      void this.release(false);
      return;
    }
    const error =
      cause ??
      new McpError("MCP_SESSION_LOST", `Server "${this.#subject.definition.name}" ended the session.`);
    this.#lost(error, state.attempt, Date.now() - state.since);
  }

  #lost(error: McpError, attempt: number, upForMs: number | undefined): void {
    const now = Date.now();
    const { retry: policy, pacing } = this.#settings;
    const isRemote = ["http", "sse"].includes(this.#subject.definition.transport);
    const loss = {
      error,
      now,
      attempt,
      upForMs,
      isRemote,
      wasEverReady: this.#wasEverReady,
      random: Math.random(),
    };
    const retry = nextRetry(policy, loss);
    const paced = retry && { ...retry, retryAt: pacing.placeFor(retry.retryAt) };
    this.#dispatch({ type: "lost", error, attempt: spentAttempts(policy, loss), now, retry: paced });
  }

  #asError(thrown: unknown): McpError {
    const { name } = this.#subject.definition;
    const message = `Server "${name}" could not be connected: ${thrownMessage(thrown)}`;
    return toMcpError(thrown, "MCP_CONNECT_FAILED", message, { server: name, phase: "handshake" });
  }

  /**
   * Resolves when what is ending now has ended, at most after `closeTimeoutMs`: a session that hangs while it closes is left behind
   * ([C21]).
   */
  async #ended(): Promise<void> {
    const { closeTimeoutMs, log } = this.#settings;
    if (await this.#ending.finished(closeTimeoutMs)) return;
    log("warn", `A session did not close within ${closeTimeoutMs} ms and was left behind.`, {
      server: this.#subject.definition.name,
    });
  }

  #end(ending: Promise<unknown>): void {
    const unclean = (error: unknown) =>
      this.#settings.log("warn", "A session did not close cleanly.", {
        server: this.#subject.definition.name,
        error: thrownText(error),
      });
    this.#ending.add(ending.catch(unclean));
  }
}

/**
 * Fills in a definition's variables within the server's `connectTimeoutMs`. The result has the definition's limits, which are final,
 * whatever the resolver returns. A resolver that hangs and ignores the signal blocks neither the server nor a close; it leaves nothing
 * to clean up.
 *
 * @throws McpError `MCP_CONNECT_TIMEOUT`, `MCP_ABORTED`, or whatever the resolver throws.
 */
async function resolveInTime(
  resolve: ResolveServer,
  definition: ServerDefinition,
  { signal, principal }: ResolveOptions,
): Promise<ResolvedServer> {
  const { name, limits } = definition;
  const timeoutMs = limits?.connectTimeoutMs ?? DEFAULT_LIMITS.connectTimeoutMs;
  const details = { server: name, phase: "resolve" } as const;
  using deadline = createDeadline({
    signal,
    timeoutMs,
    aborted: () => new McpError("MCP_ABORTED", `Connecting to server "${name}" was aborted.`, details),
    expired: () =>
      new McpError(
        "MCP_CONNECT_TIMEOUT",
        `The variables of server "${name}" were not filled in within ${timeoutMs} ms; raise connectTimeoutMs or check where they come from.`,
        details,
      ),
  });
  const resolving = resolve(definition, { signal: deadline.signal, principal });
  const server = await raceSignal(resolving, deadline.signal);
  // With equal limits the object stays the same: the resolver may know it by identity.
  return isSameJson(server.limits, limits) ? server : { ...server, limits };
}
