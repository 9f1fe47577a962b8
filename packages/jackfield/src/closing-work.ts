/** What closing takes, at most, unless it is told otherwise. */
const CLOSING_LIMIT_MS = 5_000;

/** What is longer would be over at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** By when everything that closes has to be done. */
export interface ClosingDeadline {
  /** How long closing may take in all, in milliseconds. */
  readonly limitMs: number;
  /** How much of that is left. */
  leftMs(): number;
}

/**
 * Closing begins now.
 *
 * @param limitMs - how long it may take, in milliseconds; default 5,000
 */
export function beginClosing(limitMs = CLOSING_LIMIT_MS): ClosingDeadline {
  const until = performance.now() + limitMs;
  return { limitMs, leftMs: () => Math.max(0, until - performance.now()) };
}

/** What is still to be done when a runtime closes. */
export interface ClosingWork {
  readonly work: () => Promise<unknown>;
  readonly deadline: ClosingDeadline;
  /** Told if it takes longer, with how long closing has taken in all; the work goes on. */
  readonly onLate: (limitMs: number) => void;
}

/** Waits for what closing leaves to do, but no longer than closing may take. Rejects as the work does. */
export async function waitForClosing({ work, deadline, onLate }: ClosingWork): Promise<void> {
  const late = Promise.withResolvers<void>();
  const giveUp = () => {
    onLate(deadline.limitMs);
    late.resolve();
  };
  const timer = setTimeout(giveUp, Math.min(deadline.leftMs(), LONGEST_TIMER_MS));
  await Promise.race([work(), late.promise]).finally(() => clearTimeout(timer));
}
