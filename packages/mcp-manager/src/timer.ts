/** The most a timer can wait, 24.8 days; one that is given more fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** What is queued by now has happened by then: a session tells its end a moment after the requests that it took with it. */
export function turnOfTheEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Does something after so many milliseconds, or after 24.8 days where that is sooner. */
export function startTimer(fire: () => void, afterMs: number): NodeJS.Timeout {
  return setTimeout(fire, Math.min(MAX_TIMER_MS, afterMs));
}
