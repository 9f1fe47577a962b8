import { afterEach } from "vitest";
import { useLeakCheck } from "../src/leak-check.ts";

type Cleanup = () => unknown;

const cleanups: Cleanup[] = [];

// Hooks run in reverse, so this looks for leaks when the clean-up below is done.
useLeakCheck();

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Does something when the test ends, in reverse order; after that nothing may be left of it. */
export function atEnd(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}
