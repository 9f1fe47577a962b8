import {
  type CatalogKind,
  DEFAULT_LIMITS,
  isMcpError,
  type Listing,
  type McpError,
  type ServerDefinition,
  type ServerLimits,
  type Session,
  type SessionMethod,
  type SessionParams,
  type SessionRequestOptions,
  type SessionResult,
  startTimer,
} from "@jackfield/mcp-core";
import { thisTurn } from "../turn.ts";
import {
  CALL,
  type Flight,
  type FlightLimits,
  LIST_LIMITS,
  REQUEST,
  type SentFailure,
  UPKEEP,
  type Use,
} from "./flight.ts";
import { lostError } from "./gone-error.ts";

/** What a watched session needs from its server. */
export interface SessionWatch {
  /** The server's current definition. The session is idle after `limits.idleTimeoutMs` without a request. */
  readonly definition: Pick<ServerDefinition, "limits" | "shared">;
  /** The user of the manager. On a shared session, requests say whose they are, because what the server asks for them is for that user. */
  readonly principal?: string | undefined;
  readonly counts: CallCounts;
}

/** Tool calls, counted over all sessions of a server. */
export interface CallCounts {
  /** How many were sent. A call counts from its beginning, and no longer if it turns out that it could not be sent. */
  calls: number;
  /** How many of them failed; calls that their callers aborted do not count. */
  failures: number;
}

/** Tells the lender of a borrowed session that the session was found to be lost. */
export const REPORT_LOSS = Symbol("lost");

/** A session borrowed from another user's manager. */
export interface LentSession extends Session {
  /** Whether requests of any user are in flight on it. */
  readonly isUsed: boolean;
  /** Whether its lender closed it because nobody used it. */
  readonly isIdle: boolean;
  readonly [REPORT_LOSS]: (error: McpError) => void;
}

/** A session that tracks its requests in flight. */
export interface WatchedSession extends Session {
  /** @param goOn - called when the request has failed; its promise is then the answer */
  request<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options?: SessionRequestOptions,
    goOn?: (failure: SentFailure) => Promise<SessionResult<M>>,
  ): Promise<SessionResult<M>>;
  /** When the server last sent anything, by the monotonic clock, in milliseconds. */
  readonly heardAt: number;
  /** The number of its last renewal, counted over all sessions; 0 if there was none. See `latestRenewal`. */
  readonly renewal: number;
  /** Whether a request with a deadline is in flight. One without a deadline ends only with the session. */
  readonly isBusy: boolean;
  /** Whether calls or other requests are in flight. Lists and pings do not count: the next session repeats them. */
  readonly isUsed: boolean;
  /** Whether it is closed, here or by its lender, because nobody used it. */
  readonly isIdle: boolean;
  /** Rejects every request in flight at once, without closing the session. */
  rejectInFlight(why: (isCall: boolean) => McpError): void;
  /** Marks the session as idle, before it is closed for that reason. */
  markIdle(): void;
  /** Marks the session as lost: requests that its close would reject with `MCP_CLOSED` reject with this error instead. */
  markLost(error: McpError): void;
}

/**
 * Watches a session that has just been opened.
 *
 * @param idle - called when the session was not used for `idleTimeoutMs` and nothing is in flight. If it does not close the session, it is
 * called again after another such time
 */
export function watchSession(session: Session, watch: SessionWatch, idle: () => void): WatchedSession {
  return new Watched(session, watch, idle);
}

let renewals = 0;

/** The number of the latest renewal of any session. A session with a higher one was renewed later, even if it was in the same turn. */
export function latestRenewal(): number {
  return renewals;
}

class Watched implements WatchedSession {
  readonly #session: Session;
  readonly #watch: SessionWatch;
  readonly #idle: () => void;
  /** Requests and lists in flight. An array, because V8 keeps the replaced tables of a `Set` that changes with every call alive. */
  readonly #flights: Flight[] = [];
  #used = thisTurn();
  #heard = this.#used;
  renewal = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #isIdle = false;
  #loss: McpError | undefined;

  constructor(session: Session, watch: SessionWatch, idle: () => void) {
    this.#session = session;
    this.#watch = watch;
    this.#idle = idle;
    session.onRenewed(() => {
      renewals += 1;
      this.renewal = renewals;
    });
    this.#startIdleTimer();
  }

  get handshake(): Session["handshake"] {
    return this.#session.handshake;
  }

  get heardAt(): number {
    return this.#heard.endedAt;
  }

  get isBusy(): boolean {
    const own = this.#limits;
    return this.#flights.some(
      ({ limits: { timeoutMs = own.callTimeoutMs, maxTotalMs = own.maxTotalMs } }) =>
        timeoutMs !== 0 || maxTotalMs !== 0,
    );
  }

  get isUsed(): boolean {
    return (isLent(this.#session) && this.#session.isUsed) || this.#flights.some(({ use }) => use.keepsOpen);
  }

  get isIdle(): boolean {
    return this.#isIdle || (isLent(this.#session) && this.#session.isIdle);
  }

  get #limits(): ServerLimits {
    return this.#watch.definition.limits ?? {};
  }

  list<K extends CatalogKind>(kind: K, options: { readonly signal: AbortSignal }): Promise<Listing<K>> {
    return this.#inFlight(this.#session.list(kind, options), UPKEEP, LIST_LIMITS);
  }

  request<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options: SessionRequestOptions = {},
    goOn?: (failure: SentFailure) => Promise<SessionResult<M>>,
  ): Promise<SessionResult<M>> {
    const isCall = method === "tools/call";
    if (isCall) this.#watch.counts.calls += 1;
    const use = isCall ? CALL : method === "ping" ? UPKEEP : REQUEST;
    return this.#inFlight(this.#session.request(method, params, this.#named(options)), use, options, goOn);
  }

  /** A request of a borrower comes with its own user. */
  #named(options: SessionRequestOptions): SessionRequestOptions {
    const { principal, definition } = this.#watch;
    if (principal === undefined || definition.shared !== true || options.principal !== undefined)
      return options;
    return { ...options, principal };
  }

  rejectInFlight(why: (isCall: boolean) => McpError): void {
    for (const flight of [...this.#flights]) {
      const error = why(flight.use.isCall);
      if (this.#finish(flight, error)) this.#fail(flight, error);
    }
  }

  markIdle(): void {
    this.#isIdle = true;
  }

  markLost(error: McpError): void {
    this.#loss = error;
    if (isLent(this.#session)) this.#session[REPORT_LOSS](error);
  }

  onNotification(listener: Parameters<Session["onNotification"]>[0]): () => void {
    return this.#session.onNotification((notification) => {
      this.#heard = thisTurn();
      listener(notification);
    });
  }

  onRenewed(listener: () => void): () => void {
    return this.#session.onRenewed(listener);
  }

  onClose(listener: (cause?: McpError) => void): () => void {
    return this.#session.onClose(listener);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#session.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Without `async`, which would create three more promises for each call. */
  #inFlight<T>(work: Promise<T>, use: Use, limits: FlightLimits, goOn?: Flight<T>["goOn"]): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const flight: Flight<T> = { use, limits, resolve, reject, goOn, index: this.#flights.length };
    this.#flights.push(flight as Flight);
    work.then(
      (answer) => {
        if (this.#finish(flight as Flight)) resolve(answer);
      },
      (error) => {
        if (this.#finish(flight as Flight, error)) this.#fail(flight as Flight, this.#causeOf(error, use));
      },
    );
    return promise;
  }

  /** Ends a request for its caller, or lets it go on in a later turn. */
  #fail({ resolve, reject, goOn }: Flight, error: unknown): void {
    if (goOn === undefined) reject(error);
    else resolve(Promise.reject(error).catch((thrown) => goOn({ thrown, session: this })));
  }

  /** The loss in place of the close that followed it. */
  #causeOf(error: unknown, { isCall }: Use): unknown {
    const loss = this.#loss;
    return loss !== undefined && isMcpError(error, "MCP_CLOSED") ? lostError(error, loss, isCall) : error;
  }

  /** Records the end of a request, and moves the last one to its index; false if it was rejected before. */
  #finish(flight: Flight, error?: unknown): boolean {
    const { index } = flight;
    if (index < 0) return false;
    // The same steps if it is the last one itself: code that runs for the first time is compiled again.
    const last = this.#flights[this.#flights.length - 1] as Flight;
    this.#flights[index] = last;
    last.index = index;
    flight.index = -1;
    this.#flights.pop();
    const { keepsOpen, isCall } = flight.use;
    const now = thisTurn();
    if (error === undefined || (isMcpError(error) && error.rpcCode !== undefined)) this.#heard = now;
    if (isCall && error !== undefined) this.#countFailure(error);
    if (keepsOpen) this.#used = now;
    if (this.#flights.length === 0) this.#startIdleTimer();
    return true;
  }

  #countFailure(error: unknown): void {
    const { counts } = this.#watch;
    if (isMcpError(error) && error.outcome === "not-sent") counts.calls -= 1;
    else if (!isMcpError(error, "MCP_ABORTED")) counts.failures += 1;
  }

  #startIdleTimer(): void {
    clearTimeout(this.#timer);
    const { idleTimeoutMs = DEFAULT_LIMITS.idleTimeoutMs } = this.#limits;
    if (idleTimeoutMs === 0 || this.#isOver) return;
    const waitMs = Math.max(0, this.#used.endedAt + idleTimeoutMs - performance.now());
    this.#timer = startTimer(() => {
      if (this.#flights.length > 0) return; // The timer starts again when they end.
      this.#used = thisTurn();
      this.#startIdleTimer();
      this.#idle();
    }, waitMs);
    this.#timer.unref(); // The timer does not keep the process alive.
  }
}

function isLent(session: Session): session is LentSession {
  return REPORT_LOSS in session;
}
