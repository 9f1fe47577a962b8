// Runs before every test file. `vi.waitFor` and `vi.waitUntil` give up after a second unless they are told otherwise, and on a busy machine
// a child process can need longer. They wait for half of a test's minute, and look more often while the clock is a real one.
import { afterAll, vi } from "vitest";

const PATIENCE_MS = 30_000;
const INTERVAL_MS = 5;

// Workers are reused, and `vi` with them: what a file has set would hold for the next one.
const shared: typeof vi & { real?: object } = vi;
if (shared.real === undefined) {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis;
  shared.real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate };
  const { waitFor, waitUntil } = vi;
  Object.assign(vi, {
    waitFor: (callback, options) => waitFor(callback, patient(options)),
    waitUntil: (callback, options) => waitUntil(callback, patient(options)),
  } satisfies Pick<typeof vi, "waitFor" | "waitUntil">);
}
const { real } = shared;

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  // A spy on a fake timer leaves the fake one behind.
  Object.assign(globalThis, real);
});

function patient(options: Parameters<typeof vi.waitFor>[1] = {}): Exclude<typeof options, number> {
  const own = typeof options === "number" ? { timeout: options } : options;
  // Each look moves a false clock on by the interval.
  const interval = vi.isFakeTimers() ? {} : { interval: INTERVAL_MS };
  return { timeout: PATIENCE_MS, ...interval, ...own };
}
