// `pnpm soak`, for the night: what every run of the tests tries a few hundred of, in large numbers and from new seeds. Among it are 20,000
// random schedules of connects, crashes, calls, reloads and closes against a small model of the manager, and 100,000 generated
// configuration files. JACKFIELD_SCHEDULES and JACKFIELD_GENERATED_INPUTS set other numbers; JACKFIELD_SEED and JACKFIELD_GENERATED_SEED
// repeat an earlier run, which printed them.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { trackedFiles } from "./tracked-files.mjs";
import { ownEnvironment, root } from "./workspace.mjs";

/** In milliseconds: a table of any length fits, and a test that hangs still ends. */
const WATCHDOG_MS = 3 * 3_600_000;

const suites = trackedFiles("*.test.ts").filter((file) =>
  /\bcasesOf\(|JACKFIELD_SOAK/.test(readFileSync(join(root, file), "utf8")),
);
const child = spawn("vitest", ["run", `--testTimeout=${WATCHDOG_MS}`, ...suites], {
  cwd: root,
  env: ownEnvironment({ JACKFIELD_SOAK: "1" }),
  stdio: "inherit",
  shell: process.platform === "win32",
});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
