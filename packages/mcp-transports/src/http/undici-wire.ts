import type { Dispatcher } from "undici";
import type { ConnectionPool } from "./connection-pools.ts";
import type { HttpWire, WireExchange, WireListener, WireRequest } from "./http-wire.ts";

/** After so long without a request, what has happened to its connections meanwhile may still wait to be read. */
const IDLE_MS = 5;

/** Requests over the connections of a pool, which is given back when the wire is closed. */
export function createUndiciWire(pool: ConnectionPool): HttpWire {
  let open = 0;
  let lastUsedAt = performance.now();
  const onOver = () => {
    open -= 1;
    lastUsedAt = performance.now();
  };
  return {
    isDecoding: false,
    send(request, listener) {
      const isIdle = open === 0 && performance.now() - lastUsedAt > IDLE_MS;
      open += 1;
      const exchange = new UndiciExchange(listener, onOver);
      const dispatch = () => exchange.dispatch(request.isStream ? pool.streams() : pool.calls(), request);
      if (isIdle) afterNextPoll(dispatch);
      else dispatch();
      return exchange;
    },
    close: () => pool.release(),
  };
}

/**
 * Lets the event loop read once what the network has brought. A connection that its server has closed long ago is then
 * known to be closed; what had been written to it could not be told from a request that was carried out.
 */
function afterNextPoll(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

class UndiciExchange implements WireExchange, Dispatcher.DispatchHandler {
  readonly #listener: WireListener;
  readonly #onOver: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #abortedFor: Error | undefined;
  #isOver = false;

  constructor(listener: WireListener, onOver: () => void) {
    this.#listener = listener;
    this.#onOver = onOver;
  }

  dispatch(dispatcher: Dispatcher, { method, url, headers, body }: WireRequest): void {
    if (this.#isOver) return;
    const path = url.pathname + url.search;
    const request = { origin: url.origin, path, method, headers: headers as string[], body: body ?? null };
    // Deadlines are kept by whoever waits: a call may take ten minutes, and a stream for ever.
    dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortedFor) controller.abort(this.#abortedFor);
    else this.#listener.onWriting();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: { [name: string]: string | string[] | undefined },
  ): void {
    if (!this.#isOver && status >= 200) this.#listener.onHeaders(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isOver) this.#listener.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#finish()) this.#listener.onEnd();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#finish()) this.#listener.onError(error);
  }

  abort(reason: Error): void {
    this.#abortedFor = reason;
    this.onResponseError(undefined, reason);
    this.#controller?.abort(reason);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#onOver();
    return true;
  }
}
