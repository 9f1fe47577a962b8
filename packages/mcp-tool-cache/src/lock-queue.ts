import { isMcpError } from "@jackfield/mcp-core";
import { sqliteErrorCode } from "@jackfield/mcp-core/node";

/** The longest SQLite may wait for another process, in milliseconds. It blocks this process meanwhile. */
export const BLOCKING_TIMEOUT_MS = 100;

/** Pauses between attempts, in milliseconds. The first is the shortest, because most locks are held only briefly. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 16;

interface Waiter {
  /** Returns `true` if the action has succeeded or failed, `false` if the lock is still held. */
  attempt(): boolean;
  readonly deadline: number;
  /** Rejects with the lock's error from the last attempt, whichever action made it. */
  giveUp(): void;
}

/** The actions that wait for one lock of another process. Only the first is attempted, since all wait for the same lock. */
export class LockQueue {
  readonly #waiting: Waiter[] = [];
  #busyError: unknown;

  /**
   * Runs an action as soon as no other process locks the file, after the actions that wait already. The action must not let SQLite
   * wait, because that blocks this process; it is attempted repeatedly instead.
   *
   * @param timeoutMs - how long to attempt it before the lock's error is thrown, in milliseconds
   */
  run<T>(action: () => T, timeoutMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const attempt = () => {
        try {
          resolve(action());
        } catch (error) {
          if (isBusy(error)) {
            this.#busyError = error;
            return false;
          }
          reject(error);
        }
        return true;
      };
      const waiting = this.#waiting;
      if (waiting.length === 0 && attempt()) return;
      // Monotonic, because the time of day may be set back meanwhile.
      const deadline = performance.now() + timeoutMs;
      waiting.push({ attempt, deadline, giveUp: () => reject(this.#busyError) });
      if (waiting.length === 1) void this.#attemptUntilEmpty();
    });
  }

  async #attemptUntilEmpty(): Promise<void> {
    const waiting = this.#waiting;
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
  }
}

const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Whether an error of SQLite says that the file itself is bad, and not merely busy, full or out of reach. */
export function isDamage(error: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(sqliteErrorCode(error));
}

/** Whether an error, or its cause, says that another process holds a lock. */
export function isBusy(error: unknown): boolean {
  if (isMcpError(error, "MCP_LIMIT_EXCEEDED")) return true;
  return [error, error instanceof Error && error.cause].some((each) =>
    [BUSY, LOCKED].includes(sqliteErrorCode(each)),
  );
}

/** Whether SQLite rejected a statement, for example because a column is missing. */
export function isRefusedStatement(error: unknown): boolean {
  return sqliteErrorCode(error) === ERROR;
}
