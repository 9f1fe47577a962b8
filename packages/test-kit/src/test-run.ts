/** The environment variable that marks every process a test starts. */
export const TEST_RUN_VARIABLE = "JACKFIELD_TEST_RUN";

/** Identifies this process or worker thread uniquely, even if a process id is reused. */
export function testRunId(): string {
  return `${process.pid}-${performance.timeOrigin}`;
}

/** The environment variable that `pnpm soak` sets. */
const SOAK_VARIABLE = "JACKFIELD_SOAK";

/**
 * How many cases a property is tried with, and from which seed, as fast-check takes them. Every run of the tests tries the same few
 * hundred, so that it is fast and fails for a change, never by chance; `pnpm soak` tries many others, from a new seed.
 */
export function casesOf(usual: number, inSoak: number): { readonly numRuns: number; readonly seed?: number } {
  return process.env[SOAK_VARIABLE] === undefined ? { numRuns: usual, seed: 1 } : { numRuns: inSoak };
}
