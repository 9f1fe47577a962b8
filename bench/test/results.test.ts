import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Results } from "../src/results.ts";
import { resultsText, writeResults } from "../src/results.ts";
import { QUICK } from "../src/settings.ts";

const RESULTS: Results = {
  date: new Date("2026-11-21T21:15:30Z"),
  isComplete: true,
  machine: { node: "v24", system: "linux", cpu: "some CPU", cpus: 2, loadBefore: 0.5, loadAfter: 1 },
  settings: QUICK,
  recordings: [
    { round: 1, scenario: "start 20", subject: "jackfield-catalog", figures: { readyMs: 70.123456789 } },
    { round: 1, scenario: "start 20", subject: "raw-sdk", figures: { readyMs: 400 } },
  ],
};

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

describe("results", () => {
  test("are JSON with one line for each recording, rounded to six digits, and the targets", () => {
    const text = resultsText(RESULTS);
    const results = JSON.parse(text);
    expect(results.recordings).toEqual([
      { round: 1, scenario: "start 20", subject: "jackfield-catalog", figures: { readyMs: 70.1235 } },
      { round: 1, scenario: "start 20", subject: "raw-sdk", figures: { readyMs: 400 } },
    ]);
    expect(
      text.split("\n").filter((line) => line.includes('"subject"') && line.includes('"round"')),
    ).toHaveLength(2);
    const target = "warm start, 20 servers";
    expect(results.targets).toContainEqual(
      expect.objectContaining({
        title: target,
        isKept: true,
        measured: expect.objectContaining({ median: 0.175309 }),
      }),
    );
    expect(results).toMatchObject({ isComplete: true, machine: { cpus: 2 }, settings: { seed: QUICK.seed } });
  });

  test("are saved under the date, and of a complete run also as the latest", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bench-results-"));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    await writeResults(folder, { ...RESULTS, isComplete: false });
    expect(readdirSync(folder)).toEqual(["2026-11-21T21-15.json"]);
    await writeResults(folder, RESULTS);
    expect(readdirSync(folder).sort()).toEqual([
      "2026-11-21T21-15.json",
      "latest.json",
      "latest.svg",
      "latest.txt",
    ]);
  });
});
