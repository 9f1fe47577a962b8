/** Node.js fires a timer at once if its delay is longer than this. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Limits a delay to what a timer accepts. */
export function clampDelay(delayMs: number): number {
  return Math.min(delayMs, LONGEST_DELAY_MS);
}
