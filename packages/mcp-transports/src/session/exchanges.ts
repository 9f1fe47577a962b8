import type { McpError, SessionRequestOptions } from "@jackfield/mcp-core";
import type { ErrorContext } from "../errors/error-context.ts";
import { closedError, pendingRequestError } from "../errors/request-error.ts";
import { createRoster } from "../roster.ts";
import { createDeadlineSweep, type RequestLimits } from "./deadline-sweep.ts";
import type { DirectRequests, RpcAnswer } from "./direct-requests.ts";
import {
  beginExchange,
  type Exchange,
  type ExchangeOptions,
  type SharedExchangeState,
  type Subject,
} from "./exchange.ts";
import type { ListenRequests } from "./listen-requests.ts";
import { type Watch, type WireWatch, type WireWatchOptions, watchWire } from "./wire-watch.ts";

/** All pending requests of a session. Each settles exactly once, and rejects only with an `McpError`. */
export interface Exchanges {
  /** Makes a request: `send` hands it to the SDK with the options of the watch. */
  run<T>(
    subject: Subject,
    options: SessionRequestOptions,
    limits: RequestLimits,
    send: (watch: Watch) => Promise<T>,
  ): Promise<T>;
  /** Begins a request that its carrier sends through `direct`. */
  begin<T>(options: ExchangeOptions<T>): Exchange<T>;
  /** Lets the SDK continue a request that was sent through `direct` and got this answer. `send` is as for `run`; `givenUp` aborts it. */
  continueThroughSdk<T>(
    exchange: Exchange<T>,
    answer: RpcAnswer,
    givenUp: AbortSignal,
    send: (watch: Watch) => Promise<T>,
  ): void;
  readonly direct: DirectRequests;
  readonly listens: ListenRequests;
  /**
   * Suspends the idle deadlines of all pending requests until the returned function is called. The server has asked something, and each of
   * them may be the request that it asks for.
   */
  hold(): () => void;
  /** Whether no request is pending. */
  isIdle(): boolean;
  /** Rejects every pending request. No cause means that the host closed the session. No request may begin after that. */
  endAll(cause?: McpError): void;
}

export interface ExchangesOptions extends WireWatchOptions {
  context(): ErrorContext;
}

/** Watches a connected transport, to know how far each request got. */
export function createExchanges(options: ExchangesOptions): Exchanges {
  return new OpenExchanges(options);
}

class OpenExchanges implements Exchanges {
  readonly #shared: SharedExchangeState;
  readonly #wire: WireWatch;

  constructor({ context, ...wire }: ExchangesOptions) {
    this.#shared = { context, open: createRoster(), sweep: createDeadlineSweep() };
    this.#wire = watchWire(wire);
  }

  get direct(): DirectRequests {
    return this.#wire.direct;
  }

  get listens(): ListenRequests {
    return this.#wire.listens;
  }

  begin<T>(options: ExchangeOptions<T>): Exchange<T> {
    return beginExchange(this.#shared, options);
  }

  run<T>(
    subject: Subject,
    request: SessionRequestOptions,
    limits: RequestLimits,
    send: (watch: Watch) => Promise<T>,
  ): Promise<T> {
    const givenUp = new AbortController();
    // The server receives this reason.
    const settled = (_: unknown, error?: McpError) =>
      error && givenUp.abort(new Error("the caller no longer waits"));
    const exchange = this.begin<T>({ subject, request, limits, carrier: { settled } });
    if (exchange.isWanted()) this.#sendBySdk(exchange, this.#wire.watch(exchange, givenUp.signal), send);
    return exchange.outcome;
  }

  continueThroughSdk<T>(
    exchange: Exchange<T>,
    answer: RpcAnswer,
    givenUp: AbortSignal,
    send: (watch: Watch) => Promise<T>,
  ): void {
    this.#sendBySdk(exchange, this.#wire.watch(exchange, givenUp, answer), send);
  }

  #sendBySdk<T>(exchange: Exchange<T>, watch: Watch, send: (watch: Watch) => Promise<T>): void {
    send(watch).then(
      (value) => exchange.succeed(value),
      (error) => exchange.onFailed(error),
    );
    const stop = () => watch.stop();
    exchange.outcome.then(stop, stop);
  }

  hold(): () => void {
    const releases = this.#shared.open.all().map((exchange) => exchange.hold());
    return () => {
      for (const release of releases) release();
    };
  }

  isIdle(): boolean {
    return this.#shared.open.all().length === 0;
  }

  endAll(cause?: McpError): void {
    for (const exchange of this.#shared.open.all())
      exchange.fail((context) => (cause ? pendingRequestError(cause, context) : closedError(context)));
    this.#shared.sweep.close();
  }
}
