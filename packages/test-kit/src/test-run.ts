/** The environment variable that marks every process a test starts. */
export const TEST_RUN_VARIABLE = "JACKFIELD_TEST_RUN";

/** Identifies this process or worker thread uniquely, even if a process id is reused. */
export function testRunId(): string {
  return `${process.pid}-${performance.timeOrigin}`;
}
