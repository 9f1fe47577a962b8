/**
 * Calls somebody else's listener, which disturbs nobody by what it throws. It may be an async function: a rejection that nobody
 * hears of would end the host.
 */
export function callListener(call: () => unknown, onFailed: (error: unknown) => void = () => {}): void {
  try {
    const answer = call();
    if (answer !== undefined) Promise.resolve(answer).catch(onFailed);
  } catch (error) {
    onFailed(error);
  }
}
