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
  /** Winds the idle deadline up again, if the value is higher than every one before (MCP, "Progress": it MUST increase). */
  progressed(progress: number): void;
  /** Winds the idle deadline up again: the server has answered, and another round begins. */
  rewind(): void;
  /** It is the server that waits, for an answer of ours: until the returned function is called the idle deadline does not fire. */
  hold(): () => void;
  stop(): void;
}

/** Starts the clock; `onExpired` is called at most once. */
export function createRequestClock(
  { timeoutMs, maxTotalMs }: RequestLimits,
  onExpired: (limitMs: number, isTotal: boolean) => void,
): RequestClock {
  let highest = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  let holds = 0;
  const stop = () => {
    isStopped = true;
    clearTimeout(idle);
    clearTimeout(total);
  };
  const expire = (limitMs: number, isTotal: boolean) => {
    stop();
    onExpired(limitMs, isTotal);
  };
  const total = startTimer(maxTotalMs, () => expire(maxTotalMs, true));
  const idle = startTimer(timeoutMs, () => {
    if (holds === 0) expire(timeoutMs, false);
  });
  const rewind = () => {
    // A timer that was cleared would run again if it were refreshed.
    if (!isStopped) idle?.refresh();
  };
  return {
    progressed(progress) {
      if (!(progress > highest)) return;
      highest = progress;
      rewind();
    },
    rewind,
    hold() {
      holds += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        rewind();
      };
    },
    stop,
  };
}

function startTimer(delayMs: number, onFired: () => void): NodeJS.Timeout | undefined {
  return delayMs > 0 ? setTimeout(onFired, clampDelay(delayMs)) : undefined;
}
