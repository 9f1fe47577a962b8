import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

type TestOptions = NonNullable<ViteUserConfig["test"]>;

/**
 * A minute, in milliseconds. It only ends a test that hangs: what a test promises is counted, in calls, bytes, steps or turns of the
 * event loop, so a busy machine makes it late and never wrong.
 */
const WATCHDOG_MS = 60_000;

/** What the tests of every package, application and the benchmark have in common. */
export function packageTests({ setupFiles = [], ...own }: TestOptions = {}): ViteUserConfig {
  return defineConfig({
    test: {
      testTimeout: WATCHDOG_MS,
      hookTimeout: WATCHDOG_MS,
      expect: { poll: { timeout: WATCHDOG_MS / 2, interval: 5 } },
      // A new process for each file would load the same modules hundreds of times. So no file leaves anything behind for the next one.
      isolate: false,
      setupFiles: [fileURLToPath(new URL("vitest.setup.ts", import.meta.url)), ...[setupFiles].flat()],
      ...own,
    },
  });
}
