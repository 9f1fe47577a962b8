import { type JsonObject, McpError, type Progress, type SessionRequestOptions } from "@jackfield/mcp-core";
import type { ErrorContext } from "../errors/error-context.ts";
import { abortedError, type RequestContext, requestError, timeoutError } from "../errors/request-error.ts";
import { callListener } from "../listener-call.ts";
import type { DeadlineSweep, TimedRequest } from "./deadline-sweep.ts";
import type { DirectRequest, RpcAnswer } from "./direct-requests.ts";
import { createProgressPace, type ProgressPace } from "./progress-pace.ts";
import type { CompleteLimits } from "./session-limits.ts";
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
  /** Called when the exchange has failed: its answer is no longer awaited. */
  givenUp(exchange: Exchange<T>): void;
}

/** What the exchanges of a session share. */
export interface SharedExchangeState {
  readonly sweep: DeadlineSweep<Exchange<unknown>>;
  readonly limits: CompleteLimits;
  context(): ErrorContext;
  /** Called when an exchange has settled, with its error if it failed. */
  onSettled(method: string, error?: McpError): void;
  /** Called when an exchange was given up that the server may still work on. */
  onAbandoned(exchange: Exchange<unknown>): void;
}

export interface ExchangeOptions<T> {
  readonly method: string;
  readonly params: JsonObject;
  readonly request: SessionRequestOptions;
  readonly carrier: Carrier<T>;
}

/** One pending request. It settles once: with its answer or with an `McpError`. */
export interface Exchange<T> extends WatchedRequest, DirectRequest, TimedRequest {
  readonly subject: Subject;
  readonly outcome: Promise<T>;
  readonly request: SessionRequestOptions;
  /** The server has answered, so it has no more to ask for this request. */
  readonly isAnswered: boolean;
  onRefused(): void;
  succeed(value: T): void;
  /** Settles the exchange with an error. Has no effect once it has settled. */
  fail(explain: (context: RequestContext) => McpError): void;
}

function withUnknownOutcome(error: McpError): McpError {
  return new McpError(error.code, error.message, { ...error.toJSON(), outcome: "unknown", cause: error });
}

/** Starts the deadlines of a request and listens to its caller's signal. */
export function beginExchange<T>(shared: SharedExchangeState, options: ExchangeOptions<T>): Exchange<T> {
  return new PendingExchange<T>(shared, options);
}

class PendingExchange<T> implements Exchange<T> {
  rosterIndex = -1;
  id = -1;
  isWritten = false;
  isAnswered = false;
  idleAt = Number.POSITIVE_INFINITY;
  totalAt = Number.POSITIVE_INFINITY;
  highestProgress = Number.NEGATIVE_INFINITY;
  holds = 0;
  readonly outcome: Promise<T>;
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  readonly #shared: SharedExchangeState;
  readonly #options: ExchangeOptions<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: McpError) => void;
  #onAbort: (() => void) | undefined;
  #pace: ProgressPace | undefined;
  #isSettled = false;

  constructor(shared: SharedExchangeState, options: ExchangeOptions<T>) {
    this.#shared = shared;
    this.#options = options;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    const { signal, timeoutMs, maxTotalMs } = options.request;
    this.timeoutMs = timeoutMs ?? shared.limits.callTimeoutMs;
    this.maxTotalMs = maxTotalMs ?? shared.limits.maxTotalMs;
    shared.sweep.start(this as Exchange<unknown>);
    if (signal) this.#listenTo(signal);
  }

  get request(): SessionRequestOptions {
    return this.#options.request;
  }

  get subject(): Subject {
    return requestSubject(this.#options.method, this.#options.params);
  }

  succeed(value: T): void {
    if (!this.#settle()) return;
    this.#resolve(value);
    this.#shared.onSettled(this.#options.method);
  }

  fail(explain: (context: RequestContext) => McpError): void {
    if (!this.#settle()) return;
    const { method, carrier } = this.#options;
    const error = explain({ ...this.#shared.context(), ...this.subject, isWritten: this.isWritten });
    this.#reject(error);
    carrier.givenUp(this);
    if (this.isWritten && !this.isAnswered) this.#shared.onAbandoned(this as Exchange<unknown>);
    this.#shared.onSettled(method, error);
  }

  isWanted(): boolean {
    this.#refuse();
    return !this.#isSettled;
  }

  /** Asks again: credentials or a free connection may have been waited for. */
  onWriting(): void {
    this.#refuse();
    if (!this.#isSettled) this.isWritten = true;
  }

  /** Gives the request up if its caller does not want it written any more. */
  #refuse(): void {
    const error = this.#isSettled ? undefined : this.#options.request.refusal?.();
    // An earlier message of the same request may have been carried out.
    if (error !== undefined) this.fail(({ isWritten }) => (isWritten ? withUnknownOutcome(error) : error));
  }

  onRefused(): void {
    this.isWritten = false;
  }

  onFailed(error: unknown): void {
    this.fail((context) => requestError(error, context));
  }

  onProgress(progress: Progress): void {
    this.#shared.sweep.progressed(this as Exchange<unknown>, progress.progress);
    const { onProgress } = this.#options.request;
    if (!onProgress) return;
    // Errors are ignored: the listener is the caller's own, who can catch them.
    this.#pace ??= createProgressPace((latest) => callListener(() => onProgress(latest)));
    this.#pace.push(progress);
  }

  onAnswer(answer: RpcAnswer): void {
    this.isAnswered = true;
    this.#options.carrier.answered?.(this, answer);
    if (!this.#isSettled) this.onAnswered();
  }

  onAnswered(): void {
    this.#shared.sweep.rewind(this as Exchange<unknown>);
  }

  onBrokenOff(): void {
    this.onFailed(new Error("its answer broke off"));
  }

  onExpired(limitMs: number, isTotal: boolean): void {
    this.fail((context) => timeoutError(limitMs, isTotal, context));
  }

  #listenTo(signal: AbortSignal): void {
    this.#onAbort = () => this.fail((context) => abortedError(signal.reason, context));
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#shared.sweep.stop(this as Exchange<unknown>);
    this.#pace?.end();
    if (this.#onAbort) this.#options.request.signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
