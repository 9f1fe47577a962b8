import { startTimer } from "@jackfield/mcp-core";

/**
 * Debounces updates per key. An update is reported once its key has been quiet for a while, and at the latest after ten times that,
 * so that a resource that changes all the time is still reported. Keys do not delay each other ([N13]).
 */
export interface UpdatePace {
  /** Calls `notify` later, or at once without a quiet time. Of several calls for one key, the last one counts. */
  push(key: string, notify: () => void): void;
  /** Drops the updates that have not been reported. */
  clear(): void;
}

/** The longest wait of an update, in quiet times. */
const MOST_WAITS = 10;

interface HeldUpdate {
  readonly timer: NodeJS.Timeout;
  readonly latestAt: number;
}

/** @param quietMs - how long a key has to be quiet, in milliseconds; `0` reports everything at once */
export function createUpdatePace(quietMs: number): UpdatePace {
  const waiting = new Map<string, HeldUpdate>();
  return {
    push(key, notify) {
      if (quietMs === 0) return notify();
      const before = waiting.get(key);
      clearTimeout(before?.timer);
      const now = performance.now(); // By the monotonic clock.
      const latestAt = before?.latestAt ?? now + MOST_WAITS * quietMs;
      const timer = startTimer(
        () => {
          waiting.delete(key);
          notify();
        },
        Math.max(0, Math.min(quietMs, latestAt - now)),
      );
      timer.unref(); // A pending update keeps no process alive.
      waiting.set(key, { timer, latestAt });
    },
    clear() {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}
