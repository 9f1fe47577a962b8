import { MAX_TIMER_MS } from "../timer.ts";

/** Something that is done at a time, unless it is called off. */
export interface LongTimer {
  /** Keeps the process alive until what is returned is disposed: somebody waits for it. */
  hold(): Disposable;
  clear(): void;
}

/**
 * Does something at a time, epoch milliseconds, however far away that is. It keeps no process alive unless it is held. What is
 * due already comes in the next turn of the event loop: the shortest timer takes a millisecond.
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
