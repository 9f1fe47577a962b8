import { AsyncLocalStorage } from "node:async_hooks";

type Cleanup = () => unknown;

const current = new AsyncLocalStorage<Cleanup[]>();

/** Registers a cleanup, which runs when the test ends. Cleanups run in reverse order. */
export function atEnd(cleanup: Cleanup): void {
  const cleanups = current.getStore();
  if (!cleanups) throw new Error("Nothing can be cleaned up after a test outside of one.");
  cleanups.push(cleanup);
}

/** Runs a test and then its cleanups. Tests that run concurrently have separate cleanups. */
export async function runCleaningUp(runTest: () => Promise<void>): Promise<void> {
  const cleanups: Cleanup[] = [];
  try {
    await current.run(cleanups, runTest);
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}
