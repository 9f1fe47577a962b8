import {
  type CatalogKind,
  DEFAULT_LIMITS,
  isMcpError,
  type Listing,
  type McpError,
  type RequestOptions,
  type ServerDefinition,
  type ServerLimits,
  type Session,
  type SessionMethod,
  type SessionParams,
  type SessionRequestOptions,
  type SessionResult,
  startTimer,
} from "@jackfield/mcp-core";
import { lostError } from "./gone-error.ts";
import type { UsedValues } from "./server-values.ts";

/** What a watched session needs from its server. */
export interface SessionWatch {
  /** The server's current definition. The session is idle after `limits.idleTimeoutMs` without a request. */
  readonly definition: Pick<ServerDefinition, "limits" | "shared">;
  /** Takes the place of that limit. */
  readonly idleTimeoutMs?: number | undefined;
  /** The user of the manager. On a shared session, requests say whose they are, because what the server asks for them is for that user. */
  readonly principal?: string | undefined;
  readonly counts: CallCounts;
}

/** How a watched session ends by itself, and by which values it was opened. */
export interface SessionEnding {
  /**
   * Called when the session was not used for `idleTimeoutMs` and nothing is in flight. If it does not close the session, it is called again
   * after another such time.
   */
  readonly idle: () => void;
  /**
   * Called when the server has refused values that the next session can have others of, and the requests that it had accepted are
   * answered.
   */
  readonly refused: (error: McpError) => void;
  /** Missing for a borrowed session: its lender has them. */
  readonly values: UsedValues | undefined;
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

/** How a request counts. */
interface Use {
  /** Whether it counts as use, which keeps the session open. */
  readonly keepsOpen: boolean;
  readonly isCall: boolean;
}

const CALL: Use = { keepsOpen: true, isCall: true };
const REQUEST: Use = { keepsOpen: true, isCall: false };
/** Pings and lists: the manager sends them by itself, and a polled list would keep every session open. */
const UPKEEP: Use = { keepsOpen: false, isCall: false };

/** The time limits of a request; missing ones are the server's. */
type TimeLimits = Pick<RequestOptions, "timeoutMs" | "maxTotalMs">;

/** A list is limited by `timeoutMs` alone, for all its pages. */
const LIST_LIMITS: TimeLimits = { maxTotalMs: 0 };

/** A request that is not answered yet. */
interface PendingRequest {
  readonly use: Use;
  readonly limits: TimeLimits;
  readonly reject: (error: unknown) => void;
}

let renewals = 0;

/** The number of the latest renewal of any session. A session with a higher one was renewed later, even if it was in the same turn. */
export function latestRenewal(): number {
  return renewals;
}

/** A session that tracks its requests in flight. */
export class WatchedSession implements Session {
  readonly #session: Session;
  readonly #watch: SessionWatch;
  readonly #ending: SessionEnding;
  readonly #pending = new Set<PendingRequest>();
  #usedAt = performance.now();
  /** When the server last sent anything, by the monotonic clock, in milliseconds. */
  heardAt = this.#usedAt;
  /** The number of its last renewal, counted over all sessions; 0 if there was none. See `latestRenewal`. */
  renewal = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #isIdle = false;
  #loss: McpError | undefined;
  #whenUnused: PromiseWithResolvers<void> | undefined;

  /** Watches a session that has just been opened. */
  constructor(session: Session, watch: SessionWatch, ending: SessionEnding) {
    this.#session = session;
    this.#watch = watch;
    this.#ending = ending;
    session.onRenewed(() => {
      renewals += 1;
      this.renewal = renewals;
    });
    this.#startIdleTimer();
  }

  get handshake(): Session["handshake"] {
    return this.#session.handshake;
  }

  /** Whether a request with a deadline is in flight. One without a deadline ends only with the session. */
  get isBusy(): boolean {
    const own = this.#limits;
    const hasDeadline = ({ timeoutMs = own.callTimeoutMs, maxTotalMs = own.maxTotalMs }: TimeLimits) =>
      timeoutMs !== 0 || maxTotalMs !== 0;
    return [...this.#pending].some(({ limits }) => hasDeadline(limits));
  }

  /** Whether calls or other requests are in flight. Lists and pings do not count: the next session repeats them. */
  get isUsed(): boolean {
    return this.#isUsedHere || (isLent(this.#session) && this.#session.isUsed);
  }

  get #isUsedHere(): boolean {
    return [...this.#pending].some(({ use }) => use.keepsOpen);
  }

  /** Resolves when no call or other request is in flight here. */
  async unused(): Promise<void> {
    if (!this.#isUsedHere) return;
    this.#whenUnused ??= Promise.withResolvers();
    await this.#whenUnused.promise;
  }

  /** Whether it is closed, here or by its lender, because nobody used it. */
  get isIdle(): boolean {
    return this.#isIdle || (isLent(this.#session) && this.#session.isIdle);
  }

  get #limits(): ServerLimits {
    return this.#watch.definition.limits ?? {};
  }

  list<K extends CatalogKind>(kind: K, options: { readonly signal: AbortSignal }): Promise<Listing<K>> {
    return this.#inFlight(() => this.#session.list(kind, options), UPKEEP, LIST_LIMITS);
  }

  request<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options: SessionRequestOptions = {},
  ): Promise<SessionResult<M>> {
    const isCall = method === "tools/call";
    if (isCall) this.#watch.counts.calls += 1;
    const use = isCall ? CALL : method === "ping" ? UPKEEP : REQUEST;
    return this.#inFlight(() => this.#session.request(method, params, this.#named(options)), use, options);
  }

  /** A request of a borrower comes with its own user. */
  #named(options: SessionRequestOptions): SessionRequestOptions {
    const { principal, definition } = this.#watch;
    if (principal === undefined || definition.shared !== true || options.principal !== undefined)
      return options;
    return { ...options, principal };
  }

  /** Rejects every request in flight at once, without closing the session. */
  rejectInFlight(why: (isCall: boolean) => McpError): void {
    for (const pending of [...this.#pending]) {
      const error = why(pending.use.isCall);
      if (this.#settled(pending, error)) pending.reject(error);
    }
  }

  /** Marks the session as idle, before it is closed for that reason. */
  markIdle(): void {
    this.#isIdle = true;
  }

  /** Marks the session as lost: requests that its close would reject with `MCP_CLOSED` reject with this error instead. */
  markLost(error: McpError): void {
    this.#loss = error;
    if (isLent(this.#session)) this.#session[REPORT_LOSS](error);
  }

  onNotification(listener: Parameters<Session["onNotification"]>[0]): () => void {
    return this.#session.onNotification((notification) => {
      this.heardAt = performance.now();
      listener(notification);
    });
  }

  onRenewed(listener: () => void): () => void {
    return this.#session.onRenewed(listener);
  }

  onClose(listener: (cause?: McpError) => void): () => void {
    const { values } = this.#ending;
    return this.#session.onClose(values === undefined ? listener : (cause) => listener(values.judge(cause)));
  }

  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#session.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** While requests that the server had accepted finish, nothing more is sent: that would offer refused values again. */
  #inFlight<T>(send: () => Promise<T>, use: Use, limits: TimeLimits): Promise<T> {
    const { values } = this.#ending;
    const work =
      values?.refusal === undefined ? send() : Promise.reject(values.refusedError("MCP_AUTH_REQUIRED"));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const pending: PendingRequest = { use, limits, reject };
    this.#pending.add(pending);
    work.then(
      (answer) => {
        if (this.#settled(pending)) resolve(answer);
      },
      (thrown) => {
        const error = values === undefined ? thrown : values.judge(thrown);
        if (this.#settled(pending, error)) reject(this.#causeOf(error, use));
      },
    );
    return promise;
  }

  /** The loss in place of the close that followed it. */
  #causeOf(error: unknown, { isCall }: Use): unknown {
    const loss = this.#loss;
    return loss !== undefined && isMcpError(error, "MCP_CLOSED") ? lostError(error, loss, isCall) : error;
  }

  /** Records the end of a request; false if it was rejected before. */
  #settled(pending: PendingRequest, error?: unknown): boolean {
    if (!this.#pending.delete(pending)) return false;
    const { keepsOpen, isCall } = pending.use;
    const now = performance.now();
    if (error === undefined || (isMcpError(error) && error.rpcCode !== undefined)) this.heardAt = now;
    if (isCall && error !== undefined) this.#countFailure(error);
    if (keepsOpen) this.#usedAt = now;
    if (this.#whenUnused !== undefined && !this.#isUsedHere) {
      this.#whenUnused.resolve();
      this.#whenUnused = undefined;
    }
    if (this.#pending.size > 0) return true;
    const { values, refused } = this.#ending;
    if (values?.refusal === undefined) this.#startIdleTimer();
    else refused(values.refusedError("MCP_SESSION_LOST"));
    return true;
  }

  #countFailure(error: unknown): void {
    const { counts } = this.#watch;
    if (isMcpError(error) && error.outcome === "not-sent") counts.calls -= 1;
    else if (!isMcpError(error, "MCP_ABORTED")) counts.failures += 1;
  }

  #startIdleTimer(): void {
    clearTimeout(this.#timer);
    const { idleTimeoutMs = this.#limits.idleTimeoutMs ?? DEFAULT_LIMITS.idleTimeoutMs } = this.#watch;
    if (idleTimeoutMs === 0 || this.#isOver) return;
    const waitMs = Math.max(0, this.#usedAt + idleTimeoutMs - performance.now());
    this.#timer = startTimer(() => {
      if (this.#pending.size > 0) return; // The timer starts again when they end.
      this.#usedAt = performance.now();
      this.#startIdleTimer();
      this.#ending.idle();
    }, waitMs);
    this.#timer.unref(); // The timer does not keep the process alive.
  }
}

function isLent(session: Session): session is LentSession {
  return REPORT_LOSS in session;
}
