import { expect, test } from "vitest";
import type { Recording } from "../src/recording.ts";
import { reportOf, targetReportOf } from "../src/report.ts";
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

test("the table of a quick run has one line for each figure of the targets, measured or not", () => {
  const recordings: Recording[] = [
    { round: 1, scenario: "start 1", subject: "raw-sdk", figures: { readyMs: 200 } },
    { round: 1, scenario: "start 1", subject: "jackfield", figures: { readyMs: 100 } },
  ];
  const [, ...rows] = targetReportOf(recordings, MACHINE).split("\n\n").at(-1)?.split("\n") ?? [];
  expect(rows.map((row) => row.split(/ {2,}/)[0]).filter((title) => !/^-+$/.test(title ?? ""))).toEqual([
    "cold start, 1 server",
    "cold start, 20 servers",
    "the same, processes a server",
    "warm start, 20 servers",
    "warm start, 20 servers, one of which hangs",
    "the same, processes before the tools are there",
    "first use after a warm start, times one start of that server",
    "stdio, calls at once",
    "HTTP with JSON, calls at once",
    "HTTP with event streams, calls at once",
    "stdio, calls at once through AI SDK tools",
    "HTTP with JSON, calls at once through AI SDK tools",
    "HTTP with event streams, calls at once through AI SDK tools",
    "stdio, calls at once through LangChain tools",
    "HTTP with JSON, calls at once through LangChain tools",
    "HTTP with event streams, calls at once through LangChain tools",
    "extra memory of 100 sessions",
    "extra memory of 10,000 tools",
    "heap over 1,000,000 calls",
    "heap over 10,000 reconnects",
    "growth with servers, 1 is linear",
    "growth with tools, 1 is linear",
    "growth with bytes, 1 is linear",
    "growth with calls in flight, 1 is linear",
  ]);
  expect(rows.find((row) => row.startsWith("cold start, 1 server"))).toMatch(/ 0\.500? .*<= 0\.9 +yes$/);
});
