// `pnpm soak`: what the tests run a small number of, in large numbers. 20,000 random schedules of connects, crashes, calls, reloads and
// closes against a small model of the manager, and 100,000 generated configuration files. JACKFIELD_SCHEDULES and
// JACKFIELD_GENERATED_INPUTS set other numbers; JACKFIELD_SEED, which every run prints, repeats an earlier one.
import { spawn } from "node:child_process";
import { ownEnvironment, root } from "./workspace.mjs";

const SUITES = ["packages/mcp-manager/test/model/", "packages/mcp-config/test/generated-inputs.test.ts"];

const { JACKFIELD_SCHEDULES = "20000", JACKFIELD_GENERATED_INPUTS = "100000" } = process.env;
const child = spawn("vitest", ["run", ...SUITES], {
  cwd: root,
  env: ownEnvironment({ JACKFIELD_SCHEDULES, JACKFIELD_GENERATED_INPUTS }),
  stdio: "inherit",
  shell: process.platform === "win32",
});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
