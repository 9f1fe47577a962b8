import {
  type Deadline,
  type LongTimer,
  McpError,
  type PriorHandshake,
  type ResolvedServer,
  raceSignal,
  type ServerDefinition,
  type Session,
  setLongTimer,
  thrownMessage,
  thrownText,
  toMcpError,
} from "@jackfield/mcp-core";
import type { ResourceSubscriptions } from "../context/resource-subscriptions.ts";
import { createPendingWork } from "../pending-work.ts";
import { givenUpError, goneError } from "./gone-error.ts";
import { resolveInTime } from "./resolve-in-time.ts";
import { nextRetry, spentAttempts } from "./retry-policy.ts";
import type { ConnectionSettings } from "./server-settings.ts";
import { decideSession } from "./session-answer.ts";
import { INITIAL_STATE, type ServerEvent, type ServerState, transition } from "./state.ts";
import { type CallCounts, type WatchedSession, watchSession } from "./watched-session.ts";

/** The server that owns the connection. */
export interface ConnectionSubject {
  /** As it is now: filters and limits may change while a session is up. */
  readonly definition: ServerDefinition;
  /** The user of the manager; `undefined` for the owner. */
  readonly principal: string | undefined;
  /** What the catalog knows of an earlier handshake. */
  readonly prior: PriorHandshake | undefined;
  readonly counts: CallCounts;
  /** The session while the state is `ready`. The connection sets it with each state. */
  openSession: WatchedSession | undefined;
  readonly context: { readonly subscriptions: Pick<ResourceSubscriptions, "hasListeners"> };
  /** The values are filled in, and the server is about to be reached by them. */
  resolved(server: ResolvedServer): void;
  /** Called after each change of state, in order. Must not throw. */
  changed(before: ServerState, after: ServerState): void;
}

/**
 * One server's connection. It acts on each new state, and owns the attempt, the session and the timer. It decides nothing:
 * `transition`, `decideSession` and `nextRetry` do.
 */
export interface Connection {
  readonly state: ServerState;
  /** Connects if the server is idle and was not disconnected on purpose. */
  wake(): void;
  /**
   * Returns the session, or waits for one, connecting if need be.
   *
   * @throws McpError why there is none.
   */
  session(deadline: Deadline): Promise<WatchedSession>;
  /** Resolves at the next change of state. */
  nextState(): Promise<ServerState>;
  /** Replaces any connection by a new one and waits for it; concurrent calls share one reconnect ([R3]). */
  reconnect(signal: AbortSignal): Promise<Session>;
  /** Treats the session as lost, if it is still in use: closes it and reconnects the server as after any loss. */
  reportLoss(session: Session, error: McpError): void;
  /** Closes the session; `disconnected`: only `reconnect` connects again. */
  release(disconnected: boolean): Promise<void>;
  /** Closes for good. Resolves when nothing is left, at most after `closeTimeoutMs`. */
  close(): Promise<void>;
}

/** For whom a server is reached: a shared one for nobody, so that all users have the same session and the same catalog entry. */
export function reachedFor({ shared }: ServerDefinition, user: string | undefined): string | undefined {
  return shared === true ? undefined : user;
}

/** @param predecessor - the closing of a replaced server of this name; the first attempt waits for it */
export function createConnection(
  subject: ConnectionSubject,
  settings: ConnectionSettings,
  predecessor?: Promise<unknown>,
): Connection {
  return new ServerConnection(subject, settings, predecessor);
}

class ServerConnection implements Connection {
  readonly #subject: ConnectionSubject;
  readonly #settings: ConnectionSettings;
  state: ServerState = INITIAL_STATE;
  /** Resolves at the next state change; made on demand. */
  #change: PromiseWithResolvers<ServerState> | undefined;
  #timer: LongTimer | undefined;
  #wasEverReady = false;
  /** A reconnect under way, shared by concurrent callers; cleared when its attempt is over. */
  #restarting: Promise<Session> | undefined;
  /** What is still ending: aborted attempts and closing sessions. */
  readonly #ending = createPendingWork();

  constructor(
    subject: ConnectionSubject,
    settings: ConnectionSettings,
    predecessor: Promise<unknown> | undefined,
  ) {
    this.#subject = subject;
    this.#settings = settings;
    if (predecessor !== undefined) this.#end(predecessor);
  }

  wake(): void {
    if (this.state.status === "idle" && !this.state.disconnected) this.#dispatch({ type: "connect" });
  }

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

  nextState(): Promise<ServerState> {
    this.#change ??= Promise.withResolvers();
    return this.#change.promise;
  }

  reconnect(signal: AbortSignal): Promise<Session> {
    const restarting = this.#restarting ?? this.#restart();
    if (this.state.status === "connecting") this.#restarting = restarting;
    return raceSignal(restarting, signal);
  }

  reportLoss(session: Session, error: McpError): void {
    this.#sessionEnded(session, error);
  }

  async release(disconnected: boolean): Promise<void> {
    this.#dispatch({ type: "release", disconnected });
    await this.#ended();
  }

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
    const { connect, resolve, handlers, auth, closeTimeoutMs, log } = this.#settings;
    const { definition } = this.#subject;
    const principal = reachedFor(definition, this.#subject.principal);
    const { signal } = state.abort;
    try {
      await raceSignal(earlier, signal); // The last session ends before the next begins: a server never has two ([H5]).
      const server = await resolveInTime(resolve, definition, { signal, principal });
      this.#subject.resolved(server);
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
    const session: WatchedSession = watchSession(opened, this.#subject, () => {
      // Without its session a subscription would say nothing.
      if (!this.#isCurrent(session) || this.#subject.context.subscriptions.hasListeners) return;
      session.markIdle();
      void this.release(false);
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
    const { retry: policy, pace } = this.#settings;
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
    const paced = retry && { ...retry, retryAt: pace(retry.retryAt) };
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
