import type { McpError, SessionRequestOptions } from "@jackfield/mcp-core";
import type { Transport } from "@modelcontextprotocol/client";
import type { ErrorContext } from "../errors/error-context.ts";
import { abortedError, closedError, pendingRequestError, requestError } from "../errors/request-error.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import type { RequestLimits } from "./request-clock.ts";
import { type Watch, type WireWatch, watchWire } from "./wire-watch.ts";

/** What is asked, for messages. */
export interface Subject {
  readonly method: string;
  readonly tool?: string | undefined;
}

/** All requests of a session that have no answer yet. Each settles exactly once, and always with an `McpError`. */
export interface Exchanges {
  /** Makes a request: `send` hands it to the SDK with the options of the watch, or has the watch send it. */
  run<T>(
    subject: Subject,
    options: SessionRequestOptions,
    limits: RequestLimits,
    send: (watch: Watch) => Promise<T>,
  ): Promise<T>;
  /**
   * The server has asked something: every request that is pending now may be the one it wants to know it for. Their idle deadlines wait until
   * the returned function is called.
   */
  hold(): () => void;
  /** Rejects every pending request; without a cause because we closed the session. */
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
  readonly #context: () => ErrorContext;
  readonly #wire: WireWatch;
  readonly #open = new Set<Exchange<unknown>>();

  constructor({ transport, context, onStrayAnswer }: ExchangesOptions) {
    this.#context = context;
    this.#wire = watchWire(transport, onStrayAnswer);
  }

  async run<T>(
    subject: Subject,
    request: SessionRequestOptions,
    limits: RequestLimits,
    send: (watch: Watch) => Promise<T>,
  ): Promise<T> {
    const describe = (isWritten: boolean) => ({ ...this.#context(), ...subject, isWritten });
    if (request.signal?.aborted) throw abortedError(request.signal.reason, describe(false));
    const exchange = createExchange<T>({ describe, request, limits });
    const watch = this.#wire.watch(exchange, () => exchange.givenUp);
    this.#open.add(exchange as Exchange<unknown>);
    send(watch).then(
      (value) => exchange.succeed(value),
      (error) => exchange.fail((context) => requestError(error, context)),
    );
    try {
      return await exchange.settled;
    } finally {
      watch.stop();
      this.#open.delete(exchange as Exchange<unknown>);
    }
  }

  hold(): () => void {
    const releases = [...this.#open].map((exchange) => exchange.hold());
    return () => {
      for (const release of releases) release();
    };
  }

  endAll(cause?: McpError): void {
    for (const exchange of [...this.#open])
      exchange.fail((context) => (cause ? pendingRequestError(cause, context) : closedError(context)));
  }
}
