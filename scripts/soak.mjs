// `pnpm soak`: 20,000 random schedules of connects, crashes, calls, reloads and closes against a small model of the manager, ten times
// what the tests run. JACKFIELD_SCHEDULES sets another number; JACKFIELD_SEED, which every run prints, repeats an earlier one.
import { spawn } from "node:child_process";
import { ownEnvironment, root } from "./workspace.mjs";

const { JACKFIELD_SCHEDULES = "20000" } = process.env;
const child = spawn("vitest", ["run", "packages/mcp-manager/test/model/"], {
  cwd: root,
  env: ownEnvironment({ JACKFIELD_SCHEDULES }),
  stdio: "inherit",
  shell: process.platform === "win32",
});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
