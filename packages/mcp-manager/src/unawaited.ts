/**
 * Whether a promise was given where none is waited for. That it rejects is kept from ending the process, as a rejection does that
 * nobody hears of.
 */
export function isUnawaited(answer: unknown): boolean {
  if (!(answer instanceof Promise)) return false;
  answer.catch(() => {});
  return true;
}
