/** Whether a value is a promise where none is awaited. Handles its rejection, because an unhandled one would end the process. */
export function isUnawaited(answer: unknown): boolean {
  if (!(answer instanceof Promise)) return false;
  answer.catch(() => {});
  return true;
}
