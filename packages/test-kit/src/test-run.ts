/** The environment variable that marks every process a test starts. */
export const TEST_RUN_VARIABLE = "JACKFIELD_TEST_RUN";

/** Tells this process, or worker thread, from all others, also from an earlier one with the same process id. */
export function testRunId(): string {
  return `${process.pid}-${performance.timeOrigin}`;
}
