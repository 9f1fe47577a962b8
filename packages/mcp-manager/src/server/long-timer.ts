import { MAX_TIMER_MS } from "../timer.ts";

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
    else timer = setTimeout(leftMs > MAX_TIMER_MS ? arm : due, Math.min(leftMs, MAX_TIMER_MS));
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
