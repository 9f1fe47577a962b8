/** Waits for one turn of the event loop: a session reports its end a moment after its requests have failed. */
export function turnOfTheEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
