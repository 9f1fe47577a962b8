import type { JsonObject, McpError, Progress, SessionRequestOptions } from "@jackfield/mcp-core";
import type { ErrorContext } from "../errors/error-context.ts";
import { abortedError, type RequestContext, requestError, timeoutError } from "../errors/request-error.ts";
import { callListener } from "../listener-call.ts";
import type { Roster, RosterMember } from "../roster.ts";
import type { DeadlineListener, DeadlineSweep, RequestClock, RequestLimits } from "./deadline-sweep.ts";
import type { DirectRequest, RpcAnswer } from "./direct-requests.ts";
import { createProgressPace, type ProgressPace } from "./progress-pace.ts";
import type { WatchedRequest } from "./wire-watch.ts";

/** What a request is about, for error messages. */
export interface Subject {
  readonly method: string;
  readonly tool?: string | undefined;
  /** Which page of a list. The cursor may be a key to the server's data, so it is never shown. */
  readonly cursor?: string | undefined;
}

/** The subject of a request with these parameters. */
export function requestSubject(method: string, params: JsonObject): Subject {
  if (method === "tools/call") return { method, tool: params.name as string };
  return { method, cursor: params.cursor as string | undefined };
}

/** Carries out exchanges. */
export interface Carrier<T> {
  /** Called with the answer, which may be an error. Only for a request that bypasses the SDK's client. */
  answered?(exchange: Exchange<T>, answer: RpcAnswer): void;
  /** Called when the exchange has settled. With an error, the answer is no longer awaited. */
  settled(exchange: Exchange<T>, error?: McpError): void;
}

/** What the exchanges of a session share. */
export interface SharedExchangeState {
  readonly open: Roster<Exchange<unknown>>;
  readonly sweep: DeadlineSweep;
  context(): ErrorContext;
}

export interface ExchangeOptions<T> {
  readonly subject: Subject;
  readonly request: Pick<SessionRequestOptions, "signal" | "onProgress">;
  readonly limits: RequestLimits;
  readonly carrier: Carrier<T>;
}

/** One pending request. It settles once: with its answer or with an `McpError`. */
export interface Exchange<T> extends WatchedRequest, DirectRequest, RosterMember {
  readonly subject: Subject;
  readonly outcome: Promise<T>;
  onRefused(): void;
  /** See `RequestClock.hold`. */
  hold(): () => void;
  succeed(value: T): void;
  /** Settles the exchange with an error. Has no effect once it has settled. */
  fail(explain: (context: RequestContext) => McpError): void;
}

/** Starts the clock of a request and listens to its caller's signal. */
export function beginExchange<T>(shared: SharedExchangeState, options: ExchangeOptions<T>): Exchange<T> {
  return new PendingExchange<T>(shared, options);
}

class PendingExchange<T> implements Exchange<T>, DeadlineListener {
  rosterIndex = -1;
  id = -1;
  readonly outcome: Promise<T>;
  isWritten = false;
  readonly #shared: SharedExchangeState;
  readonly #options: ExchangeOptions<T>;
  readonly #clock: RequestClock;
  #resolve!: (value: T) => void;
  #reject!: (error: McpError) => void;
  #onAbort: (() => void) | undefined;
  #pace: ProgressPace | undefined;
  #isSettled = false;

  constructor(shared: SharedExchangeState, options: ExchangeOptions<T>) {
    this.#shared = shared;
    this.#options = options;
    this.outcome = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#clock = shared.sweep.start(options.limits, this);
    shared.open.add(this);
    const { signal } = options.request;
    if (!signal) return;
    this.#onAbort = () => this.fail((context) => abortedError(signal.reason, context));
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  get subject(): Subject {
    return this.#options.subject;
  }

  hold(): () => void {
    return this.#clock.hold();
  }

  succeed(value: T): void {
    if (!this.#settle()) return;
    this.#resolve(value);
    this.#options.carrier.settled(this);
  }

  fail(explain: (context: RequestContext) => McpError): void {
    if (!this.#settle()) return;
    const { subject, carrier } = this.#options;
    const error = explain({ ...this.#shared.context(), ...subject, isWritten: this.isWritten });
    this.#reject(error);
    carrier.settled(this, error);
  }

  isWanted(): boolean {
    return !this.#isSettled;
  }

  onWriting(): void {
    this.isWritten = true;
  }

  onRefused(): void {
    this.isWritten = false;
  }

  onFailed(error: unknown): void {
    this.fail((context) => requestError(error, context));
  }

  onProgress(progress: Progress): void {
    this.#clock.progressed(progress.progress);
    const { onProgress } = this.#options.request;
    if (!onProgress) return;
    // Errors are ignored: the listener is the caller's own, who can catch them.
    this.#pace ??= createProgressPace((latest) => callListener(() => onProgress(latest)));
    this.#pace.push(progress);
  }

  onAnswer(answer: RpcAnswer): void {
    this.#options.carrier.answered?.(this, answer);
    if (!this.#isSettled) this.onAnswered();
  }

  onAnswered(): void {
    this.#clock.rewind();
  }

  onBrokenOff(): void {
    this.onFailed(new Error("its answer broke off"));
  }

  onExpired(limitMs: number, isTotal: boolean): void {
    this.fail((context) => timeoutError(limitMs, isTotal, context));
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#clock.stop();
    this.#shared.open.remove(this);
    this.#pace?.end();
    if (this.#onAbort) this.#options.request.signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
