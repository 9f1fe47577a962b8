import { MAX_TIMER_MS } from "../timer.ts";

/** Something that is done at a time, unless it is called off. */
export interface LongTimer {
  clear(): void;
}

/** Does something at a time, epoch milliseconds, however far away that is. It keeps no process alive. */
export function setLongTimer(at: number, due: () => void): LongTimer {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const leftMs = Math.max(0, at - Date.now());
    timer = setTimeout(leftMs > MAX_TIMER_MS ? arm : due, Math.min(leftMs, MAX_TIMER_MS)).unref();
  };
  arm();
  return { clear: () => clearTimeout(timer) };
}
