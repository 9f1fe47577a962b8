/** The longest delay of a timer in milliseconds, 24.8 days; Node.js fires a longer one at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `fire` once after so many milliseconds, at most `MAX_TIMER_MS`. Ended by `clearTimeout`. */
export function startTimer(fire: () => void, afterMs: number): NodeJS.Timeout {
  return setTimeout(fire, Math.min(MAX_TIMER_MS, afterMs));
}

/** A timer that fires unless it is cleared. */
export interface LongTimer {
  /** Keeps the process alive until the result is disposed: a caller is waiting. */
  hold(): Disposable;
  clear(): void;
}

/**
 * Calls `due` at a time in epoch milliseconds, however far away. It keeps the process alive only while held. A time that has passed
 * fires in the next turn of the event loop, because the shortest timer takes a millisecond.
 */
export function setLongTimer(at: number, due: () => void): LongTimer {
  let timer: NodeJS.Timeout | undefined;
  let nextTurn: NodeJS.Immediate | undefined;
  let holders = 0;
  const arm = () => {
    const leftMs = at - Date.now();
    if (leftMs <= 0) nextTurn = setImmediate(due);
    else timer = startTimer(leftMs > MAX_TIMER_MS ? arm : due, leftMs);
    if (holders === 0) (nextTurn ?? timer)?.unref();
  };
  const release = () => {
    holders -= 1;
    if (holders === 0) (nextTurn ?? timer)?.unref();
  };
  arm();
  return {
    hold() {
      holders += 1;
      (nextTurn ?? timer)?.ref();
      return { [Symbol.dispose]: release };
    },
    clear() {
      clearTimeout(timer);
      clearImmediate(nextTurn);
    },
  };
}

/** What `createDeadline` needs to know. */
export interface DeadlineOptions {
  /** The caller's own signal. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from now; `0` = none. */
  readonly timeoutMs: number;
  /** Makes the reason of the deadline's signal when the caller gives up, from the reason of the caller's. */
  readonly aborted: (reason: unknown) => Error;
  /** Makes the reason of the deadline's signal when the time is over. */
  readonly expired: () => Error;
}

/** A time limit, and the signal that fires when it is over or the caller gives up. Dispose it when the work is done. */
export interface Deadline extends Disposable {
  /** Fires with the error of the deadline as its reason. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds; `Infinity` = none. */
  readonly at: number;
}

/** Starts the clock of a deadline. It leaves neither timer nor listener behind once it is disposed. */
export function createDeadline({ signal, timeoutMs, aborted, expired }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const at = timeoutMs === 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  const timer = timeoutMs === 0 ? undefined : startTimer(() => controller.abort(expired()), timeoutMs);
  const onAbort = () => controller.abort(aborted(signal?.reason));
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    at,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

/**
 * Settles as the promise does, or rejects as soon as the signal fires; the promise itself goes on, and nothing hears of its failure.
 *
 * @param reason - makes the error to reject with. Default: the signal's own reason.
 */
export async function raceSignal<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  reason: (signal: AbortSignal) => unknown = ownReason,
): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {}); // Nothing waits for its outcome.
    throw reason(signal);
  }
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(reason(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function ownReason({ reason }: AbortSignal): unknown {
  return reason;
}
