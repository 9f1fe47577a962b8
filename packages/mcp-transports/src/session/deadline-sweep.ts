import { createRoster, type RosterMember } from "../roster.ts";
import { clampDelay } from "../timer-delay.ts";

/** Both in milliseconds; `0` means none. */
export interface RequestLimits {
  /** Without an answer or increasing progress. */
  readonly timeoutMs: number;
  /** In all. */
  readonly maxTotalMs: number;
}

/** The two deadlines of one request. */
export interface RequestClock {
  /** Restarts the idle deadline if the value is higher than every one before (MCP, "Progress": it MUST increase). */
  progressed(progress: number): void;
  /** Restarts the idle deadline: the server has answered, and another round begins. */
  rewind(): void;
  /** Suspends the idle deadline until the returned function is called: the server waits for an answer from us. */
  hold(): () => void;
  stop(): void;
}

/** Called at most once, when a deadline has passed. */
export interface DeadlineListener {
  onExpired(limitMs: number, isTotal: boolean): void;
}

/** The deadlines of all requests of a session. */
export interface DeadlineSweep {
  start(limits: RequestLimits, listener: DeadlineListener): RequestClock;
  /** Clears the timer. No request may be pending any more. */
  close(): void;
}

/**
 * One timer for all deadlines, set for the earliest. Nearly every request is answered long before its deadline, and nearly all
 * have the same limits. So the timer of the first also serves later ones, and starting or stopping a clock rarely sets a timer.
 */
export function createDeadlineSweep(): DeadlineSweep {
  return new TimerSweep();
}

class TimerSweep implements DeadlineSweep {
  readonly #clocks = createRoster<SweptClock>();
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;

  start(limits: RequestLimits, listener: DeadlineListener): RequestClock {
    const clock = new SweptClock(this, limits, listener);
    this.#clocks.add(clock);
    if (this.#clocks.size === 1) this.#timer?.ref();
    this.wakeFor(clock);
    return clock;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wakesAt = Number.POSITIVE_INFINITY;
  }

  /** A timer that is no longer needed stays set, but does not keep the process alive. */
  remove(clock: SweptClock): void {
    this.#clocks.remove(clock);
    if (this.#clocks.size === 0) this.#timer?.unref();
  }

  wakeFor({ dueAt }: SweptClock): void {
    if (dueAt >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = dueAt;
    const delayMs = Math.max(1, Math.ceil(dueAt - performance.now()));
    this.#timer = setTimeout(this.#sweep, clampDelay(delayMs));
  }

  readonly #sweep = () => {
    this.close();
    const now = performance.now();
    for (const clock of this.#clocks.all()) {
      if (clock.dueAt <= now) clock.expire(now);
      else this.wakeFor(clock);
    }
  };
}

class SweptClock implements RequestClock, RosterMember {
  rosterIndex = -1;
  readonly #sweep: TimerSweep;
  readonly #limits: RequestLimits;
  readonly #listener: DeadlineListener;
  /** On the monotonic clock of `performance.now()`, like `dueAt`. */
  #idleAt: number;
  readonly #totalAt: number;
  #highest = Number.NEGATIVE_INFINITY;
  #holds = 0;

  constructor(sweep: TimerSweep, limits: RequestLimits, listener: DeadlineListener) {
    this.#sweep = sweep;
    this.#limits = limits;
    this.#listener = listener;
    const now = performance.now();
    this.#idleAt = endOf(limits.timeoutMs, now);
    this.#totalAt = endOf(limits.maxTotalMs, now);
  }

  /** When the next of the two fires; `Infinity` if neither does. */
  get dueAt(): number {
    return this.#holds > 0 ? this.#totalAt : Math.min(this.#idleAt, this.#totalAt);
  }

  progressed(progress: number): void {
    if (!(progress > this.#highest)) return;
    this.#highest = progress;
    this.rewind();
  }

  rewind(): void {
    this.#idleAt = endOf(this.#limits.timeoutMs, performance.now());
  }

  hold(): () => void {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.rewind();
      // A sweep may have skipped this clock while it was held.
      if (this.rosterIndex >= 0) this.#sweep.wakeFor(this);
    };
  }

  stop(): void {
    if (this.rosterIndex >= 0) this.#sweep.remove(this);
  }

  expire(now: number): void {
    if (this.rosterIndex < 0) return;
    this.stop();
    const isTotal = this.#totalAt <= now;
    this.#listener.onExpired(isTotal ? this.#limits.maxTotalMs : this.#limits.timeoutMs, isTotal);
  }
}

function endOf(limitMs: number, now: number): number {
  return limitMs > 0 ? now + limitMs : Number.POSITIVE_INFINITY;
}
