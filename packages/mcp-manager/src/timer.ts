/** The most a timer can wait, 24.8 days; one that is given more fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Does something after so many milliseconds, or after 24.8 days where that is sooner. */
export function startTimer(fire: () => void, afterMs: number): NodeJS.Timeout {
  return setTimeout(fire, Math.min(MAX_TIMER_MS, afterMs));
}
