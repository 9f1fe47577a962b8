import { AsyncLocalStorage } from "node:async_hooks";

type Cleanup = () => unknown;

const current = new AsyncLocalStorage<Cleanup[]>();

/** Does something when the test ends, in reverse order; after that nothing may be left of it. */
export function atEnd(cleanup: Cleanup): void {
  const cleanups = current.getStore();
  if (!cleanups) throw new Error("Nothing can be cleaned up after a test outside of one.");
  cleanups.push(cleanup);
}

/** Runs a test and cleans up behind it. Each of several that run beside each other has its own. */
export async function runCleaningUp(runTest: () => Promise<void>): Promise<void> {
  const cleanups: Cleanup[] = [];
  try {
    await current.run(cleanups, runTest);
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}
