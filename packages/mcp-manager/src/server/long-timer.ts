import { MAX_TIMER_MS } from "../timer.ts";

/** Something that is done at a time, unless it is called off. */
export interface LongTimer {
  /** Keeps the process alive until what is returned is disposed: somebody waits for it. */
  hold(): Disposable;
  clear(): void;
}

/** Does something at a time, epoch milliseconds, however far away that is. It keeps no process alive unless it is held. */
export function setLongTimer(at: number, due: () => void): LongTimer {
  let timer: NodeJS.Timeout;
  let holders = 0;
  const arm = () => {
    const leftMs = Math.max(0, at - Date.now());
    timer = setTimeout(leftMs > MAX_TIMER_MS ? arm : due, Math.min(leftMs, MAX_TIMER_MS));
    if (holders === 0) timer.unref();
  };
  const release = () => {
    holders -= 1;
    if (holders === 0) timer.unref();
  };
  arm();
  return {
    hold() {
      holders += 1;
      timer.ref();
      return { [Symbol.dispose]: release };
    },
    clear: () => clearTimeout(timer),
  };
}
