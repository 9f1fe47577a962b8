import { isBusy } from "./sqlite-error.ts";

/** Pauses between attempts, in milliseconds. The first is the shortest, because most locks are held only briefly. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 16;

/** The actions that wait for one lock of another process. Only the first is attempted, since all wait for the same lock. */
export interface LockQueue {
  /**
   * Runs an action as soon as no other process locks the file, after the actions that wait already. The action must not let SQLite
   * wait, because that blocks this process; it is attempted repeatedly instead.
   *
   * @param timeoutMs - how long to attempt it before the lock's error is thrown, in milliseconds
   */
  run<T>(action: () => T, timeoutMs: number): Promise<T>;
}

interface Waiter {
  /** Returns `true` if the action has succeeded or failed, `false` if the lock is still held. */
  attempt(): boolean;
  readonly deadline: number;
  /** Rejects with the lock's error from the last attempt, whichever action made it. */
  giveUp(): void;
}

export function createLockQueue(): LockQueue {
  const waiting: Waiter[] = [];
  let busyError: unknown;

  const attemptUntilEmpty = async () => {
    let pauseMs = SHORTEST_PAUSE_MS;
    while (waiting.length > 0) {
      await new Promise((resolve) => (pauseMs === 0 ? setImmediate(resolve) : setTimeout(resolve, pauseMs)));
      const isFree = waiting[0]?.attempt() === true;
      if (isFree) waiting.shift();
      for (const late of isFree ? [] : waiting.filter(({ deadline }) => performance.now() >= deadline)) {
        waiting.splice(waiting.indexOf(late), 1);
        late.giveUp();
      }
      pauseMs = isFree ? 0 : Math.min(2 * pauseMs || SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS);
    }
  };

  return {
    run: <T>(action: () => T, timeoutMs: number) =>
      new Promise<T>((resolve, reject) => {
        const attempt = () => {
          try {
            resolve(action());
          } catch (error) {
            if (isBusy(error)) {
              busyError = error;
              return false;
            }
            reject(error);
          }
          return true;
        };
        if (waiting.length === 0 && attempt()) return;
        // Monotonic, because the time of day may be set back meanwhile.
        waiting.push({ attempt, deadline: performance.now() + timeoutMs, giveUp: () => reject(busyError) });
        if (waiting.length === 1) void attemptUntilEmpty();
      }),
  };
}
