/**
 * Calls a foreign listener and catches its errors. The listener may be an async function: an unhandled rejection would end the
 * host.
 */
export function callListener(call: () => unknown, onFailed: (error: unknown) => void = () => {}): void {
  try {
    const answer = call();
    if (answer !== undefined) Promise.resolve(answer).catch(onFailed);
  } catch (error) {
    onFailed(error);
  }
}
