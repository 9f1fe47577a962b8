import type { McpError, SessionRequestOptions } from "@jackfield/mcp-core";
import type { Transport } from "@modelcontextprotocol/client";
import type { ErrorContext } from "../errors/error-context.ts";
import { abortedError, closedError, pendingRequestError, requestError } from "../errors/request-error.ts";
import { createRoster } from "../roster.ts";
import { createDeadlineSweep, type RequestLimits } from "./deadline-sweep.ts";
import type { DirectRequests } from "./direct-requests.ts";
import {
  beginExchange,
  type Exchange,
  type ExchangeOptions,
  type ExchangeSurroundings,
  type Subject,
} from "./exchange.ts";
import { type Watch, type WireWatch, watchWire } from "./wire-watch.ts";

/** All requests of a session that have no answer yet. Each settles exactly once, and always with an `McpError`. */
export interface Exchanges {
  /** Makes a request: `send` hands it to the SDK with the options of the watch. */
  run<T>(
    subject: Subject,
    options: SessionRequestOptions,
    limits: RequestLimits,
    send: (watch: Watch) => Promise<T>,
  ): Promise<T>;
  /** Begins a request that its carrier sends by `direct`. */
  begin<T>(options: ExchangeOptions<T>): Exchange<T>;
  readonly direct: DirectRequests;
  /**
   * The server has asked something: every request that is pending now may be the one it wants to know it for. Their idle deadlines wait until
   * the returned function is called.
   */
  hold(): () => void;
  /** Rejects every pending request; without a cause because we closed the session. Nothing may be begun after that. */
  endAll(cause?: McpError): void;
}

export interface ExchangesOptions {
  readonly transport: Transport;
  context(): ErrorContext;
  /** Hears of each answer that nobody waits for. */
  onStrayAnswer(): void;
}

/** Watches a connected transport, so that it is known of each request how far it came. */
export function createExchanges(options: ExchangesOptions): Exchanges {
  return new OpenExchanges(options);
}

class OpenExchanges implements Exchanges {
  readonly #surroundings: ExchangeSurroundings;
  readonly #wire: WireWatch;

  constructor({ transport, context, onStrayAnswer }: ExchangesOptions) {
    this.#surroundings = { context, open: createRoster(), sweep: createDeadlineSweep() };
    this.#wire = watchWire(transport, onStrayAnswer);
  }

  get direct(): DirectRequests {
    return this.#wire.direct;
  }

  begin<T>(options: ExchangeOptions<T>): Exchange<T> {
    return beginExchange(this.#surroundings, options);
  }

  async run<T>(
    subject: Subject,
    request: SessionRequestOptions,
    limits: RequestLimits,
    send: (watch: Watch) => Promise<T>,
  ): Promise<T> {
    if (request.signal?.aborted)
      throw abortedError(request.signal.reason, {
        ...this.#surroundings.context(),
        ...subject,
        isWritten: false,
      });
    let controller: AbortController | undefined;
    const exchange = this.begin<T>({
      subject,
      request,
      limits,
      carrier: {
        settled: (_, error) => error && controller?.abort(new Error("the caller no longer waits")),
      },
    });
    const watch = this.#wire.watch(exchange, () => {
      controller ??= new AbortController();
      return controller.signal;
    });
    send(watch).then(
      (value) => exchange.succeed(value),
      (error) => exchange.fail((context) => requestError(error, context)),
    );
    try {
      return await exchange.outcome;
    } finally {
      watch.stop();
    }
  }

  hold(): () => void {
    const releases = this.#surroundings.open.all().map((exchange) => exchange.hold());
    return () => {
      for (const release of releases) release();
    };
  }

  endAll(cause?: McpError): void {
    for (const exchange of this.#surroundings.open.all())
      exchange.fail((context) => (cause ? pendingRequestError(cause, context) : closedError(context)));
    this.#surroundings.sweep.close();
  }
}
