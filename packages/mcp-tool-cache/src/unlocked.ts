import { isBusy } from "./sqlite-error.ts";

/** Between two attempts, in milliseconds; SQLite has waited within each of them as well. */
const PAUSE_MS = 10;

/**
 * Does something as soon as nobody else has locked the file. SQLite waits by standing still, and this process with it; so it
 * is let wait a little only, and asked again and again.
 *
 * @param patienceMs - after so long the error is thrown, in milliseconds; `0`: at once
 */
export async function whenUnlocked<T>(action: () => T, patienceMs: number): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
