import type { McpError, Progress, SessionRequestOptions } from "@jackfield/mcp-core";
import { abortedError, type RequestContext, requestError, timeoutError } from "../errors/request-error.ts";
import { createProgressPace, type ProgressPace } from "./progress-pace.ts";
import { createRequestClock, type RequestLimits } from "./request-clock.ts";
import type { WatchedRequest } from "./wire-watch.ts";

export interface ExchangeOptions {
  /** What an error of it says, given whether it was written. */
  describe(isWritten: boolean): RequestContext;
  readonly request: Pick<SessionRequestOptions, "signal" | "onProgress">;
  readonly limits: RequestLimits;
}

/** One request on its way. It settles once: with its answer or with an `McpError`. */
export interface Exchange<T> extends WatchedRequest {
  readonly settled: Promise<T>;
  /** Fires when it has failed and nobody waits for the server any longer. Made when it is asked for. */
  readonly givenUp: AbortSignal;
  /** See `RequestClock.hold`. */
  hold(): () => void;
  succeed(value: T): void;
  /** Settles it with an error, and fires `givenUp`. Means nothing once it has settled. */
  fail(explain: (context: RequestContext) => McpError): void;
}

/** Starts the clock of a request and listens to its caller. */
export function createExchange<T>(options: ExchangeOptions): Exchange<T> {
  return new PendingExchange<T>(options);
}

class PendingExchange<T> implements Exchange<T> {
  readonly #options: ExchangeOptions;
  onGivenUp: (() => void) | undefined;
  readonly #outcome = Promise.withResolvers<T>();
  #controller: AbortController | undefined;
  readonly #clock;
  #pace: ProgressPace | undefined;
  #isWritten = false;
  #isSettled = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    options.request.signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#clock = createRequestClock(options.limits, (limitMs, isTotal) =>
      this.fail((context) => timeoutError(limitMs, isTotal, context)),
    );
  }

  get settled(): Promise<T> {
    return this.#outcome.promise;
  }

  get givenUp(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  hold(): () => void {
    return this.#clock.hold();
  }

  succeed(value: T): void {
    if (this.#settle()) this.#outcome.resolve(value);
  }

  fail(explain: (context: RequestContext) => McpError): void {
    if (!this.#settle()) return;
    this.#outcome.reject(explain(this.#options.describe(this.#isWritten)));
    this.onGivenUp?.();
    this.#controller?.abort(new Error("the caller no longer waits"));
  }

  onWritten(): void {
    this.#isWritten = true;
  }

  onRefused(): void {
    this.#isWritten = false;
  }

  onProgress(progress: Progress): void {
    this.#clock.progressed(progress.progress);
    const { onProgress } = this.#options.request;
    if (!onProgress) return;
    this.#pace ??= createProgressPace((latest) => {
      try {
        onProgress(latest);
      } catch {
        // The listener is the caller's own, who can catch what it throws.
      }
    });
    this.#pace.push(progress);
  }

  onAnswered(): void {
    this.#clock.rewind();
  }

  onBrokenOff(): void {
    this.fail((context) => requestError(new Error("its answer broke off"), context));
  }

  readonly #onAbort = () => {
    this.fail((context) => abortedError(this.#options.request.signal?.reason, context));
  };

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#clock.stop();
    this.#pace?.end();
    this.#options.request.signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
