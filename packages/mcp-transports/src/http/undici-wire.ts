import type { Dispatcher } from "undici";
import { asError } from "../errors/wording.ts";
import type { ConnectionPool } from "./connection-pools.ts";
import type { HttpWire, WireExchange, WireListener, WireRequest } from "./http-wire.ts";

/** After this long without a call, events of the connections may still be unread. */
const IDLE_MS = 5;

/** Requests over the connections of a pool, which is given back when the wire is closed. */
export function createUndiciWire(pool: ConnectionPool): HttpWire {
  const gate = new Gate();
  return {
    isDecoding: false,
    proxy: pool.proxy,
    send(request, listener) {
      const { isStream } = request;
      const exchange = new UndiciExchange(listener, isStream ? () => {} : gate.used);
      gate.enter(() => exchange.dispatch(isStream ? pool.streams : pool.calls, request));
      return exchange;
    },
    close: () => pool.release(),
  };
}

/**
 * Requests pass it before they are written. After a pause, even of a busy program, the event loop first reads the network once, which reveals connections that the server has
 * closed. A request written to one of these could not be told from one that was carried out. Data of a stream, or of an unfinished
 * answer, does not end a pause: it may have been read before the end of other connections.
 *
 * Right after an answer, the connection that brought it is not free yet: undici frees it at the end of the turn. A request that follows at
 * once waits for that, instead of opening another connection.
 */
class Gate {
  #lastUsedAt = performance.now();
  #isFreeing = false;
  #waiting: (() => void)[] | undefined;

  /** Calls `act` at once, or as soon as it is known which connections still exist. */
  enter(act: () => void): void {
    const isPaused = performance.now() - this.#lastUsedAt > IDLE_MS;
    if (this.#waiting) this.#waiting.push(act);
    else if (!isPaused && !this.#isFreeing) act();
    else {
      this.#waiting = [act];
      setImmediate(isPaused ? () => setImmediate(this.#enterAll) : this.#enterAll);
    }
  }

  /** The answer to a call is complete. */
  readonly used = () => {
    this.#lastUsedAt = performance.now();
    this.#isFreeing = true;
  };

  readonly #enterAll = () => {
    const acts = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#isFreeing = false;
    this.#lastUsedAt = performance.now();
    for (const act of acts) act();
  };
}

class UndiciExchange implements WireExchange, Dispatcher.DispatchHandler {
  readonly #listener: WireListener;
  readonly #onComplete: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #abortedFor: Error | undefined;
  #isOver = false;

  constructor(listener: WireListener, onComplete: () => void) {
    this.#listener = listener;
    this.#onComplete = onComplete;
  }

  dispatch(dispatcher: Dispatcher, { method, url, headers, body }: WireRequest): void {
    if (this.#isOver) return;
    const path = url.pathname + url.search;
    const request = { origin: url.origin, path, method, headers: headers as string[], body: body ?? null };
    try {
      // The callers keep deadlines: a call may take ten minutes, and a stream for ever.
      dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, this);
    } catch (error) {
      // A request that had to wait has no caller on the stack: an exception would end the program.
      this.onResponseError(undefined, asError(error));
    }
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
    this.#onComplete();
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
    return true;
  }
}
