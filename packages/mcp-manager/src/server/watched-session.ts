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
} from "@jackfield/mcp-core";
import { startTimer } from "../timer.ts";
import { lostError } from "./gone-error.ts";

/** Who wants to know what a session is used for. */
export interface SessionWatch {
  /** The server's, as it is now. After `idleTimeoutMs` of its limits without a request the session is idle. */
  readonly definition: Pick<ServerDefinition, "limits">;
  readonly counts: CallCounts;
}

/** Tool calls, counted over all the sessions of a server. */
export interface CallCounts {
  /** How many were sent. */
  calls: number;
  /** How many ended without a result, and not because their callers gave up. */
  failures: number;
}

/** Reports to a borrowed session that its user found it lost: its lender has to know as well. */
export const REPORT_LOSS = Symbol("lost");

/** A session of somebody else's. */
export interface LentSession extends Session {
  /** Whether its lender has calls or other requests under way on it, for whomever. */
  readonly isUsed: boolean;
  readonly [REPORT_LOSS]: (error: McpError) => void;
}

/** A session that knows what is in flight on it. */
export interface WatchedSession extends Session {
  /** When the server last said anything, by the monotonic clock, in milliseconds. */
  readonly heardAt: number;
  /** Whether anything is in flight that has a deadline: what has none ends with the session only. */
  readonly isBusy: boolean;
  /** Whether calls or other requests are under way. Lists and pings do not count: they are repeated on the next session. */
  readonly isUsed: boolean;
  /** Rejects whatever is in flight at once; the session itself is not told. */
  rejectInFlight(why: (isCall: boolean) => McpError): void;
  /** It is closed because it was lost, and whatever is in flight then, or asked for later, hears that and not that it was closed. */
  markLost(error: McpError): void;
}

/** What a session is asked for. */
interface Use {
  /** Whether it keeps the session. */
  readonly isUse: boolean;
  readonly isCall: boolean;
}

const CALL: Use = { isUse: true, isCall: true };
const REQUEST: Use = { isUse: true, isCall: false };
/** Looking whether the server is alive is not using it, and a list that is polled would keep it for ever. */
const LOOK: Use = { isUse: false, isCall: false };

/** The time a request is given; what is missing is the server's own. */
type FlightLimits = Pick<RequestOptions, "timeoutMs" | "maxTotalMs">;

/** A list has one time limit for all its pages. */
const LIST_LIMITS: FlightLimits = { maxTotalMs: 0 };

interface Flight {
  readonly use: Use;
  readonly limits: FlightLimits;
  readonly reject: (error: unknown) => void;
  /** Where it stands among the others; `-1` once it has landed. */
  place: number;
}

/**
 * Watches over a session that has just been opened.
 *
 * @param idle - called when nothing was asked of it for `idleTimeoutMs`, and nothing is in flight
 */
export function watchSession(session: Session, watch: SessionWatch, idle: () => void): WatchedSession {
  return new Watched(session, watch, idle);
}

class Watched implements WatchedSession {
  readonly #session: Session;
  readonly #watch: SessionWatch;
  readonly #idle: () => void;
  /** What is in flight, requests and lists. A set of them would cost more than all else here (`mcp-transports/src/roster.ts` says why). */
  readonly #flights: Flight[] = [];
  /** By the monotonic clock. */
  #usedAt = performance.now();
  #heardAt = this.#usedAt;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #loss: McpError | undefined;

  constructor(session: Session, watch: SessionWatch, idle: () => void) {
    this.#session = session;
    this.#watch = watch;
    this.#idle = idle;
    this.#waitForIdleness();
  }

  get handshake(): Session["handshake"] {
    return this.#session.handshake;
  }

  get heardAt(): number {
    return this.#heardAt;
  }

  get isBusy(): boolean {
    const own = this.#limits;
    return this.#flights.some(
      ({ limits: { timeoutMs = own.callTimeoutMs, maxTotalMs = own.maxTotalMs } }) =>
        timeoutMs !== 0 || maxTotalMs !== 0,
    );
  }

  get isUsed(): boolean {
    return (isLent(this.#session) && this.#session.isUsed) || this.#flights.some(({ use }) => use.isUse);
  }

  get #limits(): ServerLimits {
    return this.#watch.definition.limits ?? {};
  }

  list<K extends CatalogKind>(kind: K, options: { readonly signal: AbortSignal }): Promise<Listing<K>> {
    return this.#inFlight(this.#session.list(kind, options), LOOK, LIST_LIMITS);
  }

  request<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options: SessionRequestOptions = {},
  ): Promise<SessionResult<M>> {
    const isCall = method === "tools/call";
    if (isCall) this.#watch.counts.calls += 1;
    const use = isCall ? CALL : method === "ping" ? LOOK : REQUEST;
    return this.#inFlight(this.#session.request(method, params, options), use, options);
  }

  rejectInFlight(why: (isCall: boolean) => McpError): void {
    for (const flight of [...this.#flights]) {
      const error = why(flight.use.isCall);
      if (this.#hasLanded(flight, error)) flight.reject(error);
    }
  }

  markLost(error: McpError): void {
    this.#loss = error;
    if (isLent(this.#session)) this.#session[REPORT_LOSS](error);
  }

  onNotification(listener: Parameters<Session["onNotification"]>[0]): () => void {
    return this.#session.onNotification((notification) => {
      this.#heardAt = performance.now();
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

  /** Written out, because an asynchronous function would make three promises more for each call. */
  #inFlight<T>(work: Promise<T>, use: Use, limits: FlightLimits): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const flight: Flight = { use, limits, reject, place: this.#flights.length };
      this.#flights.push(flight);
      work.then(
        (answer) => {
          if (this.#hasLanded(flight)) resolve(answer);
        },
        (error) => {
          if (this.#hasLanded(flight, error)) reject(this.#told(error, use));
        },
      );
    });
  }

  #told(error: unknown, { isCall }: Use): unknown {
    const loss = this.#loss;
    return loss !== undefined && isMcpError(error, "MCP_CLOSED") ? lostError(error, loss, isCall) : error;
  }

  /** Takes note of an end. `false`: it had been given up already. */
  #hasLanded(flight: Flight, error?: unknown): boolean {
    if (!this.#remove(flight)) return false;
    const { isUse, isCall } = flight.use;
    const now = performance.now();
    if (error === undefined || (isMcpError(error) && error.rpcCode !== undefined)) this.#heardAt = now;
    if (isCall && error !== undefined && !isMcpError(error, "MCP_ABORTED")) this.#watch.counts.failures += 1;
    if (isUse) this.#usedAt = now;
    this.#waitForIdleness();
    return true;
  }

  /** The last takes its place. */
  #remove(flight: Flight): boolean {
    const { place } = flight;
    if (place < 0) return false;
    flight.place = -1;
    const last = this.#flights.pop();
    if (last !== undefined && last !== flight) {
      last.place = place;
      this.#flights[place] = last;
    }
    return true;
  }

  #waitForIdleness(): void {
    clearTimeout(this.#timer);
    const { idleTimeoutMs = DEFAULT_LIMITS.idleTimeoutMs } = this.#limits;
    if (idleTimeoutMs === 0 || this.#isOver) return;
    const waitMs = Math.max(0, this.#usedAt + idleTimeoutMs - performance.now());
    this.#timer = startTimer(() => {
      if (this.#flights.length === 0) this.#idle();
    }, waitMs);
    this.#timer.unref(); // Waiting to end a session keeps no process alive.
  }
}

function isLent(session: Session): session is LentSession {
  return REPORT_LOSS in session;
}
