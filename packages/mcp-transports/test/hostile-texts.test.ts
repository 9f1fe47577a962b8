import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("fixtures/hostile-texts.mjs", import.meta.url));

/** In characters. A parser of quadratic time takes seconds for each text of this length. */
const LENGTH = 128 * 1024;

// In a process of its own, because a regular expression that runs for ever could not be stopped in this one. On a
// busy machine its processor seconds take longer than a minute.
test("[T89] no hostile text keeps a parser busy", { timeout: 250_000 }, async () => {
  const child = spawn(process.execPath, ["--no-warnings", PROGRAM, String(LENGTH)], {
    stdio: "inherit",
    timeout: 240_000,
    killSignal: "SIGKILL",
  });
  expect(await once(child, "exit")).toEqual([0, null]);
});
