import { execFileSync, spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { isGroupRunning } from "../../src/stdio/process-tree.ts";

const MODULE = new URL("../../src/stdio/process-tree.ts", import.meta.url).href;

test("no process of a group that never was is running", () => {
  expect(isGroupRunning(2 ** 30)).toBe(false);
});

// Only the administrator can become another user.
test.runIf(process.getuid?.() === 0)("a group of another user, which takes no signal, is running", () => {
  const program = `const { isGroupRunning } = await import(${JSON.stringify(MODULE)});
    process.setuid(65_534);
    process.stdout.write(String(isGroupRunning(Number(process.argv[1]))));`;
  const leader = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void leader.kill());
  const args = ["--no-warnings", "--input-type=module", "--eval", program, String(leader.pid)];
  expect(execFileSync(process.execPath, args, { encoding: "utf8" })).toBe("true");
});
