import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const LEAKS = fileURLToPath(new URL("./fixtures/leaking/leaks.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("./fixtures/leaking/vitest.config.ts", import.meta.url));
const VITEST = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

test("a test that leaks fails, and no other; among concurrent tests the last to end fails", () => {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-leaks-"));
  const file = join(folder, "report.json");
  const options = ["--root", dirname(LEAKS), "--config", CONFIG, "--reporter=json", `--outputFile=${file}`];
  const { status, stderr } = spawnSync(process.execPath, [VITEST, "run", ...options], { encoding: "utf8" });
  expect(status, stderr).toBe(1);
  const report: Report = JSON.parse(readFileSync(file, "utf8"));
  rmSync(folder, { recursive: true });
  const found = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ title, failureMessages }) => [title, failureMessages.join("\n")] as const);
  const leaks = (what: string | RegExp) => expect.stringMatching(what);
  expect(found).toEqual([
    ["honest", ""],
    ["leaves a child process", leaks(/process \d+: sleep 600/)],
    ["leaves a server", leaks("server opened at")],
    ["leaves a listener", leaks(`1 listener of the process's event "SIGUSR2"`)],
    ["honest after those", ""],
    ["leaves a timer", ""],
    ["is the last to end", leaks(/timer opened at .*leaks\.ts/)],
  ]);
});
