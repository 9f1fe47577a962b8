import { expect, test } from "vitest";
import type { Recording } from "../src/recording.ts";
import { reportOf } from "../src/report.ts";
import { QUICK } from "../src/settings.ts";

const SETTINGS = { ...QUICK, serverCounts: [5] };
const MACHINE = { node: "v24", system: "linux", cpu: "some CPU", cpus: 2, loadBefore: 0.5, loadAfter: 1 };

test("the report shows medians, ratios to the raw SDK and bare Node, and CPU in microseconds", () => {
  const recordings: Recording[] = [
    { round: 1, scenario: "start 5", subject: "raw-sdk", figures: { readyMs: 200 } },
    { round: 1, scenario: "start 5", subject: "jackfield", figures: { readyMs: 210 } },
    { round: 1, scenario: "start 5", subject: "jackfield-catalog", figures: { readyMs: 50 } },
    { round: 1, scenario: "start 5", subject: "bare-node", figures: { readyMs: 40 } },
    { round: 1, scenario: "calls stdio", subject: "jackfield", figures: { concurrentCpuMs: 0.0425 } },
  ];
  const report = reportOf(recordings, SETTINGS, MACHINE);
  const cells = (start: RegExp) => report.split("\n").filter((line) => start.test(line));
  expect(report).toContain("2 x some CPU");
  expect(cells(/^5 +Jackfield +/)).toEqual([expect.stringMatching(/ 210 +1\.05 \(1\.05-1\.05\) /)]);
  expect(cells(/^5 +Jackfield, catalog/)).toEqual([
    expect.stringMatching(/ 50\.0 +0\.25 \(0\.25-0\.25\) +- +- +1\.25 \(1\.25-1\.25\) /),
  ]);
  expect(cells(/^stdio +Jackfield/).at(-1)).toMatch(/ 42\.5 +-$/);
});
