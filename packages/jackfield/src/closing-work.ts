/** What the manager takes to close, at most, unless it is told otherwise. */
const CLOSING_LIMIT_MS = 5_000;

/** What is longer would be over at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What is still to be done when a runtime closes. */
export interface ClosingWork {
  readonly work: () => Promise<unknown>;
  /** How long it is waited for, in milliseconds. Default 5,000. */
  readonly withinMs: number | undefined;
  /** Told if it takes longer; the work goes on. */
  readonly onLate: (withinMs: number) => void;
}

/** Waits for what closing leaves to do, but no longer than closing may take. Rejects as the work does. */
export async function waitForClosing({
  work,
  withinMs = CLOSING_LIMIT_MS,
  onLate,
}: ClosingWork): Promise<void> {
  const late = Promise.withResolvers<void>();
  const giveUp = () => {
    onLate(withinMs);
    late.resolve();
  };
  const timer = setTimeout(giveUp, Math.min(withinMs, LONGEST_TIMER_MS));
  await Promise.race([work(), late.promise]).finally(() => clearTimeout(timer));
}
