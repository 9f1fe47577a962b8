import type { JsonObject, McpError, SessionRequestOptions } from "@jackfield/mcp-core";
import type { JSONRPCRequest } from "@modelcontextprotocol/client";
import { closedError, pendingRequestError } from "../errors/request-error.ts";
import { createDeadlineSweep } from "./deadline-sweep.ts";
import type { DirectRequests, RpcAnswer } from "./direct-requests.ts";
import { beginExchange, type Exchange, type ExchangeOptions, type SharedExchangeState } from "./exchange.ts";
import type { ListenRequests } from "./listen-requests.ts";
import { isCall, type Question } from "./server-requests.ts";
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
  /** Whether no request is pending. */
  isIdle(): boolean;
  /** Rejects every pending request. No cause means that the host closed the session. No request may begin after that. */
  endAll(cause?: McpError): void;
}

export interface ExchangesOptions
  extends Omit<WireWatchOptions, "questionOn">,
    Pick<SharedExchangeState, "limits" | "context" | "onSettled"> {}

/**
 * How long a call that was given up counts as one that a question may belong to, in milliseconds: the server may have asked before it
 * heard of the end, or work on. Longer would keep other users of the session from being asked for no reason.
 */
const DOUBTFUL_MS = 60_000;

interface Abandoned {
  readonly exchange: Exchange<unknown>;
  /** On the clock of `performance.now()`. */
  readonly at: number;
}

/** Watches a connected transport, to know how far each request got. */
export function createExchanges(options: ExchangesOptions): Exchanges {
  return new OpenExchanges(options);
}

class OpenExchanges implements Exchanges {
  readonly #shared: SharedExchangeState;
  readonly #wire: WireWatch;
  readonly direct: DirectRequests;
  readonly listens: ListenRequests;
  /** Calls that were given up lately, the oldest first. */
  #abandoned: Abandoned[] = [];

  constructor({ limits, context, onSettled, ...wire }: ExchangesOptions) {
    const onAbandoned = (exchange: Exchange<unknown>) => {
      if (!isCall(exchange.subject.method)) return;
      this.#forgetOld();
      this.#abandoned.push({ exchange, at: performance.now() });
    };
    this.#shared = { limits, context, onSettled, onAbandoned, sweep: createDeadlineSweep() };
    this.#wire = watchWire({ ...wire, questionOn: (stream) => this.#questionOn(stream) });
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
    if (exchange.isWanted())
      this.#sendBySdk(exchange, this.#wire.watch(exchange, this.#questionOf(exchange), ended.signal), send);
    return exchange.outcome;
  }

  continueThroughSdk<T>(
    exchange: Exchange<T>,
    answer: RpcAnswer,
    givenUp: AbortSignal,
    send: (watch: Watch) => Promise<T>,
  ): void {
    this.#sendBySdk(exchange, this.#wire.watch(exchange, this.#questionOf(exchange), givenUp, answer), send);
  }

  #sendBySdk<T>(exchange: Exchange<T>, watch: Watch, send: (watch: Watch) => Promise<T>): void {
    send(watch).then(
      (value) => exchange.succeed(value),
      (error) => exchange.onFailed(error),
    );
    const stop = () => watch.stop();
    exchange.outcome.then(stop, stop);
  }

  /** The stream of a request names it beyond doubt. On any other, each call that the server knows of may be the one. */
  #questionOn(stream: JSONRPCRequest | undefined): Question {
    const pending = this.#shared.sweep.all().filter(({ isAnswered }) => !isAnswered);
    if (!stream) {
      this.#forgetOld();
      const isAskable = ({ isWritten, subject }: Exchange<unknown>) => isWritten && isCall(subject.method);
      const lately = this.#abandoned.map(({ exchange }) => exchange);
      const calls = [...pending.filter(isAskable), ...lately];
      return { calls, isBound: false, hold: () => this.#hold(pending) };
    }
    const owner = pending.filter(({ id }) => id === stream.id);
    const hold = () => this.#hold(owner);
    return isCall(stream.method)
      ? { calls: owner, isBound: true, hold }
      : { calls: [], isBound: false, hold };
  }

  #questionOf<T>(exchange: Exchange<T>): Question {
    return { calls: [exchange], isBound: true, hold: () => this.#hold([exchange as Exchange<unknown>]) };
  }

  #forgetOld(): void {
    const now = performance.now();
    this.#abandoned = this.#abandoned.filter(({ at }) => now - at < DOUBTFUL_MS);
  }

  #hold(exchanges: readonly Exchange<unknown>[]): () => void {
    const releases = exchanges.map((exchange) => this.#shared.sweep.hold(exchange));
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
