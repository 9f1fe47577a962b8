import type { JsonObject, McpError, SessionRequestOptions } from "@jackfield/mcp-core";
import { closedError, pendingRequestError } from "../errors/request-error.ts";
import { createDeadlineSweep } from "./deadline-sweep.ts";
import type { DirectRequests, RpcAnswer } from "./direct-requests.ts";
import { beginExchange, type Exchange, type ExchangeOptions, type SharedExchangeState } from "./exchange.ts";
import type { ListenRequests } from "./listen-requests.ts";
import { type Watch, type WireWatch, type WireWatchOptions, watchWire } from "./wire-watch.ts";

/** All pending requests of a session. Each settles exactly once, and rejects only with an `McpError`. */
export interface Exchanges {
  /** Makes a request: `send` hands it to the SDK with the options of the watch. */
  run<T>(
    method: string,
    params: JsonObject,
    request: SessionRequestOptions,
    send: (watch: Watch) => Promise<T>,
  ): Promise<T>;
  /** Makes a request that bypasses the SDK's client, through `direct`. */
  carry<T>(options: ExchangeOptions<T>): Promise<T>;
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

export interface ExchangesOptions
  extends WireWatchOptions,
    Pick<SharedExchangeState, "limits" | "context" | "onSettled"> {}

/** Watches a connected transport, to know how far each request got. */
export function createExchanges(options: ExchangesOptions): Exchanges {
  return new OpenExchanges(options);
}

class OpenExchanges implements Exchanges {
  readonly #shared: SharedExchangeState;
  readonly #wire: WireWatch;
  readonly direct: DirectRequests;
  readonly listens: ListenRequests;

  constructor({ limits, context, onSettled, ...wire }: ExchangesOptions) {
    this.#shared = { limits, context, onSettled, sweep: createDeadlineSweep() };
    this.#wire = watchWire(wire);
    this.direct = this.#wire.direct;
    this.listens = this.#wire.listens;
  }

  carry<T>(options: ExchangeOptions<T>): Promise<T> {
    const exchange = beginExchange(this.#shared, options);
    if (!options.request.signal?.aborted) this.direct.send(exchange, options);
    return exchange.outcome;
  }

  run<T>(
    method: string,
    params: JsonObject,
    request: SessionRequestOptions,
    send: (watch: Watch) => Promise<T>,
  ): Promise<T> {
    const ended = new AbortController();
    // The server receives this reason.
    const givenUp = () => ended.abort(new Error("the caller no longer waits"));
    const exchange = beginExchange<T>(this.#shared, { method, params, request, carrier: { givenUp } });
    if (exchange.isWanted()) this.#sendBySdk(exchange, this.#wire.watch(exchange, ended.signal), send);
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
    const { sweep } = this.#shared;
    const releases = sweep.all().map((exchange) => sweep.hold(exchange));
    return () => {
      for (const release of releases) release();
    };
  }

  isIdle(): boolean {
    return this.#shared.sweep.all().length === 0;
  }

  endAll(cause?: McpError): void {
    for (const exchange of this.#shared.sweep.all())
      exchange.fail((context) => (cause ? pendingRequestError(cause, context) : closedError(context)));
    this.#shared.sweep.close();
  }
}
