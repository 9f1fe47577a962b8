import { startTimer } from "@jackfield/mcp-core";

/** Default time limit for closing. */
const CLOSING_LIMIT_MS = 5_000;

/** The deadline for everything that has to close. */
export interface ClosingDeadline {
  /** How long closing may take in all, in milliseconds. */
  readonly limitMs: number;
  /** How much of that time is left. */
  leftMs(): number;
}

/**
 * Starts the time limit for closing.
 *
 * @param limitMs - how long it may take, in milliseconds; default 5,000
 * @param drainMs - how long calls may go on before, in milliseconds
 */
export function beginClosing(limitMs = CLOSING_LIMIT_MS, drainMs = 0): ClosingDeadline {
  const until = performance.now() + drainMs + limitMs;
  return { limitMs, leftMs: () => Math.max(0, until - performance.now()) };
}

/** Work that remains when a runtime closes. */
export interface ClosingWork {
  readonly work: () => Promise<unknown>;
  readonly deadline: ClosingDeadline;
  /** Called with `limitMs` of the deadline if the work is late; the work continues. */
  readonly onLate: (limitMs: number) => void;
}

/** Waits for the work, but only until the deadline. Rejects if the work does. */
export async function waitForClosing({ work, deadline, onLate }: ClosingWork): Promise<void> {
  const late = Promise.withResolvers<void>();
  const giveUp = () => {
    onLate(deadline.limitMs);
    late.resolve();
  };
  const timer = startTimer(giveUp, deadline.leftMs());
  await Promise.race([work(), late.promise]).finally(() => clearTimeout(timer));
}
