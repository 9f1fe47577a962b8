// Runs before every test file of this package.
import { type LeakCheck, leakCheck } from "@jackfield/test-kit";
import { aroundEach } from "vitest";
import { runCleaningUp } from "./cleanup.ts";

/** Tests that run beside each other share one check: it ends with the last of them, and says who opened what is left. */
let running = 0;
let check: LeakCheck | undefined;
let checking: Promise<void> = Promise.resolve();

aroundEach(async (runTest) => {
  await checking.catch(() => {}); // whoever began it tells what it found
  if (running === 0) check = leakCheck();
  running += 1;
  try {
    await runCleaningUp(runTest);
  } finally {
    running -= 1;
    if (running === 0 && check) {
      checking = check.assertClean();
      await checking;
    }
  }
});
