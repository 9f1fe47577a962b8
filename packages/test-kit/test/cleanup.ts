import { afterEach } from "vitest";
import { useLeakCheck } from "../src/leak-check.ts";

type Cleanup = () => unknown;

const cleanups: Cleanup[] = [];

// Hooks run in reverse order, so the leak check runs after the clean-up below.
useLeakCheck();

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs a clean-up when the test ends, the last one first. The leak check runs after all of them. */
export function atEnd(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}
