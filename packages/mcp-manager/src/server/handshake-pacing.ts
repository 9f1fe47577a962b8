import { type Connector, raceSignal, type Session, startTimer } from "@jackfield/mcp-core";
import { LATEST } from "./retry-policy.ts";

/** A second, and a little more: timers are not exact. */
const SECOND_MS = 1_001;

/** A connection that takes longer no longer counts as being opened, so that servers which hang do not hold up the others, in milliseconds. */
const COUNTED_MS = 3_000;

/**
 * The limits that hold for all servers and users of a runtime together: how many connections are opened at the same time, and how many
 * servers are met again in a second. A thousand sessions that are lost at once must not come back in one wave; jitter alone would only
 * spread the wave over one delay.
 */
export class HandshakePacing {
  readonly #most: number;
  /** The times that were given and are not long past, epoch milliseconds, in order. */
  #given: number[] = [];
  /** How many more connections may be opened now. */
  #free: number;
  /** Attempts that wait for one, in order. */
  readonly #waiting = new Set<() => void>();

  /** @param concurrency - how many connections are opened at the same time */
  constructor(maxPerSecond: number, concurrency: number) {
    this.#most = Math.floor(maxPerSecond);
    this.#free = concurrency;
  }

  /** The connector within both limits. */
  pace(connect: Connector): Connector {
    const open: Connector = (server, options) => {
      const end = this.#begin();
      const opening = connect(server, { ...options, beforeRenewal: this.#renewal });
      opening.then(end, end);
      return opening;
    };
    return (server, options) => {
      const { signal } = options;
      if (this.#free > 0 || signal.aborted) return open(server, options);
      const { promise, resolve, reject } = Promise.withResolvers<Session>();
      const opening = async () => open(server, options);
      const take = () => {
        leave();
        resolve(opening());
      };
      const giveUp = () => {
        leave();
        reject(signal.reason);
      };
      const leave = () => {
        this.#waiting.delete(take);
        signal.removeEventListener("abort", giveUp);
      };
      this.#waiting.add(take);
      signal.addEventListener("abort", giveUp);
      return promise;
    };
  }

  /** When an attempt wanted at `wantedAt` may be made, both epoch milliseconds. Each call reserves a place. */
  placeFor(wantedAt: number): number {
    const now = Date.now();
    this.#given = this.#given.filter((at) => at > now - SECOND_MS);
    let at = wantedAt;
    for (let full = this.#secondBeginning(at); full !== undefined; full = this.#secondBeginning(at))
      at = full + SECOND_MS;
    at = Math.min(LATEST, at);
    this.#given.splice(this.#placeOf(at), 0, at);
    return at;
  }

  /** The first time of a full second that would have to take one more; `undefined` if none would. */
  #secondBeginning(at: number): number | undefined {
    const place = this.#placeOf(at);
    for (let first = Math.max(0, place - this.#most); first <= place; first += 1) {
      const last = this.#given[first + this.#most - 1];
      const begin = this.#given[first];
      if (last === undefined || begin === undefined) return undefined;
      if (Math.max(last, at) - Math.min(begin, at) < SECOND_MS) return begin;
    }
    return undefined;
  }

  /** The number of times that were given before, or at, this one. */
  #placeOf(at: number): number {
    const later = this.#given.findIndex((given) => given > at);
    return later < 0 ? this.#given.length : later;
  }

  /** Resolves when a lost session may be begun anew on its connection. */
  readonly #renewal = async (signal: AbortSignal): Promise<void> => {
    const now = Date.now();
    const afterMs = this.placeFor(now) - now;
    if (afterMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = startTimer(resolve, afterMs);
    await raceSignal(promise, signal).finally(() => clearTimeout(timer));
  };

  /** A connection is being opened. Returns the function that says it is no longer. */
  #begin(): () => void {
    this.#free -= 1;
    const end = () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      this.#free += 1;
      const [next] = this.#waiting;
      next?.();
    };
    let timer: NodeJS.Timeout | undefined = startTimer(end, COUNTED_MS);
    timer.unref();
    return end;
  }
}
