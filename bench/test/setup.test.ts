import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

function setUp(...args: string[]) {
  return spawnSync(process.execPath, [MAIN, "setup", ...args], { encoding: "utf8" });
}

test("setup lists what it can install and refuses an unknown name", () => {
  const help = setUp("--help");
  expect(help.status).toBe(0);
  expect(help.stdout).toContain("openai-agents");
  const unknown = setUp("--only", "nobody");
  expect(unknown.status).toBe(2);
  expect(unknown.stderr).toContain('There is no "nobody".');
});
