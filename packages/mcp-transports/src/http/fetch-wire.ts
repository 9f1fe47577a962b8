import { asError } from "../errors/wording.ts";
import type { HttpWire, IncomingHeaders, WireExchange, WireListener, WireRequest } from "./http-wire.ts";

/** Sends requests by the host's own `fetch`. It does not tell when it writes, so a request counts as written once it is handed over. */
export function createFetchWire(fetch: typeof globalThis.fetch): HttpWire {
  const open = new Set<FetchExchange>();
  return {
    isDecoding: true,
    send(request, listener) {
      const exchange = new FetchExchange(listener);
      open.add(exchange);
      void exchange.run(fetch, request).finally(() => open.delete(exchange));
      return exchange;
    },
    async close() {
      for (const exchange of open) exchange.abort(new Error("the connection was closed"));
    },
  };
}

class FetchExchange implements WireExchange {
  readonly #listener: WireListener;
  readonly #controller = new AbortController();
  #isOver = false;
  #paused: PromiseWithResolvers<void> | undefined;

  constructor(listener: WireListener) {
    this.#listener = listener;
  }

  async run(fetch: typeof globalThis.fetch, request: WireRequest): Promise<void> {
    try {
      // The caller may abort the exchange before it has begun.
      await Promise.resolve();
      if (this.#isOver) return;
      this.#listener.onWriting();
      const response = await fetch(request.url, {
        method: request.method,
        headers: pairsOf(request.headers),
        redirect: "manual",
        signal: this.#controller.signal,
        ...(request.body !== undefined && { body: request.body }),
      });
      if (!this.#isOver) this.#listener.onHeaders(response.status, headersOf(response));
      await this.#read(response);
      this.#finish(() => this.#listener.onEnd());
    } catch (error) {
      this.#finish(() => this.#listener.onError(asError(error)));
    }
  }

  abort(reason: Error): void {
    this.#finish(() => this.#listener.onError(reason));
    this.#controller.abort(reason);
    this.resume();
  }

  pause(): void {
    this.#paused ??= Promise.withResolvers();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  async #read(response: Response): Promise<void> {
    if (!response.body) return;
    for await (const chunk of response.body) {
      if (this.#isOver) return;
      this.#listener.onData(Buffer.from(chunk));
      await this.#paused?.promise;
    }
  }

  #finish(act: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    act();
  }
}

function pairsOf(headers: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < headers.length; index += 2)
    pairs.push([headers[index] as string, headers[index + 1] as string]);
  return pairs;
}

function headersOf({ headers }: Response): IncomingHeaders {
  return { ...Object.fromEntries(headers), "set-cookie": headers.getSetCookie() };
}
