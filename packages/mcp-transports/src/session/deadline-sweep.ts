import { startTimer } from "@jackfield/mcp-core";
import { createRoster, type RosterMember } from "../roster.ts";

/** A request with its two deadlines, which the sweep keeps. It is one object, because there is one for every call. */
export interface TimedRequest extends RosterMember {
  /** Without an answer or increasing progress, in milliseconds; `0` means no limit, also for `maxTotalMs`. */
  readonly timeoutMs: number;
  /** In all. */
  readonly maxTotalMs: number;
  /** On the monotonic clock of `performance.now()`, like `totalAt`; both are `Infinity` at first. */
  idleAt: number;
  totalAt: number;
  /** The highest progress so far; `-Infinity` before there is any. */
  highestProgress: number;
  /** How many holds suspend the idle deadline. */
  holds: number;
  /** Called at most once, when a deadline has passed. */
  onExpired(limitMs: number, isTotal: boolean): void;
}

/** The pending requests of a session, and their deadlines. */
export interface DeadlineSweep<T extends TimedRequest> {
  /** Adds a request. Its deadlines start when the turn of promises ends. */
  start(request: T): void;
  /** Restarts the idle deadline if the value is higher than every one before (MCP, "Progress": it MUST increase). */
  progressed(request: T, progress: number): void;
  /** Restarts the idle deadline: the server has answered, and another round begins. */
  rewind(request: T): void;
  /** Suspends the idle deadline until the returned function is called: the server waits for an answer from us. */
  hold(request: T): () => void;
  /** Removes a request. Idempotent. */
  stop(request: T): void;
  /** The requests that were started and not stopped. */
  all(): T[];
  /** Clears the timer. No request may be pending any more. */
  close(): void;
}

/** Its reactions run after those that are due already, and cost less than those of `queueMicrotask`. */
const DUE = Promise.resolve();

/**
 * One timer for all deadlines, set for the earliest. Nearly every request is answered long before its deadline, and nearly all
 * have the same limits. So the timer of the first also serves later ones, and starting or stopping a request rarely sets a timer.
 * The clock is read once for all requests that start in one turn: reading it takes longer than the rest of a start.
 */
export function createDeadlineSweep<T extends TimedRequest>(): DeadlineSweep<T> {
  return new TimerSweep<T>();
}

class TimerSweep<T extends TimedRequest> implements DeadlineSweep<T> {
  readonly #pending = createRoster<T>();
  /** Requests of this turn, whose deadlines have not started. */
  #fresh: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;

  start(request: T): void {
    this.#pending.add(request);
    if (request.rosterIndex === 0) this.#timer?.ref();
    if (this.#fresh.push(request) === 1) void DUE.then(this.#startFresh);
  }

  readonly #startFresh = () => {
    const fresh = this.#fresh;
    this.#fresh = [];
    const now = performance.now();
    for (let index = 0; index < fresh.length; index += 1) {
      const request = fresh[index] as T;
      const { timeoutMs, maxTotalMs } = request;
      if (timeoutMs > 0) request.idleAt = now + timeoutMs;
      if (maxTotalMs > 0) request.totalAt = now + maxTotalMs;
      if (request.rosterIndex >= 0 && dueAtOf(request) < this.#wakesAt) this.#wakeFor(request);
    }
  };

  progressed(request: T, progress: number): void {
    if (!(progress > request.highestProgress)) return;
    request.highestProgress = progress;
    this.rewind(request);
  }

  rewind(request: T): void {
    const { timeoutMs } = request;
    if (timeoutMs > 0) request.idleAt = performance.now() + timeoutMs;
  }

  hold(request: T): () => void {
    request.holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      request.holds -= 1;
      this.rewind(request);
      // A sweep may have skipped this request while it was held.
      if (request.rosterIndex >= 0) this.#wakeFor(request);
    };
  }

  /** A timer that is no longer needed stays set, but does not keep the process alive. */
  stop(request: T): void {
    this.#pending.remove(request);
    if (this.#pending.size === 0) this.#timer?.unref();
  }

  all(): T[] {
    return this.#pending.all();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wakesAt = Number.POSITIVE_INFINITY;
  }

  #wakeFor(request: T): void {
    const dueAt = dueAtOf(request);
    if (dueAt >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = dueAt;
    const delayMs = Math.max(1, Math.ceil(dueAt - performance.now()));
    this.#timer = startTimer(this.#sweep, delayMs);
  }

  readonly #sweep = () => {
    this.close();
    const now = performance.now();
    for (const request of this.#pending.all()) {
      if (dueAtOf(request) <= now) this.#expire(request, now);
      else this.#wakeFor(request);
    }
  };

  #expire(request: T, now: number): void {
    if (request.rosterIndex < 0) return;
    this.stop(request);
    const isTotal = request.totalAt <= now;
    const { timeoutMs, maxTotalMs } = request;
    request.onExpired(isTotal ? maxTotalMs : timeoutMs, isTotal);
  }
}

/** When the next of the two fires; `Infinity` if neither does. */
function dueAtOf({ idleAt, totalAt, holds }: TimedRequest): number {
  return holds > 0 ? totalAt : Math.min(idleAt, totalAt);
}
