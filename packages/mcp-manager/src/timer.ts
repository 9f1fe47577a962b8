/** The longest delay of a timer, 24.8 days; a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits for one turn of the event loop: a session reports its end a moment after its requests have failed. */
export function turnOfTheEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Calls `fire` after so many milliseconds, at most 24.8 days. */
export function startTimer(fire: () => void, afterMs: number): NodeJS.Timeout {
  return setTimeout(fire, Math.min(MAX_TIMER_MS, afterMs));
}
