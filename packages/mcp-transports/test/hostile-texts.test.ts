import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("fixtures/hostile-texts.mjs", import.meta.url));

/** In characters. A parser of quadratic time takes minutes for each text of this length. */
const LENGTH = 512 * 1024;

// In a process of its own, because a regular expression that runs for ever could not be stopped in this one.
test("[T89] no hostile text keeps a parser busy", { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, ["--no-warnings", PROGRAM, String(LENGTH)], {
    stdio: "inherit",
    timeout: 50_000,
    killSignal: "SIGKILL",
  });
  expect(await once(child, "exit")).toEqual([0, null]);
});
