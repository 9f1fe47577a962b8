import { expect, test } from "vitest";
import { compareWithAll, comparisonTable } from "../src/comparison.ts";
import type { Figures } from "../src/measurement.ts";
import type { Recording } from "../src/recording.ts";
import { QUICK } from "../src/settings.ts";
import type { Subject } from "../src/subject.ts";
import { targetResults } from "../src/targets.ts";

function recording(scenario: string, subject: Subject, figures: Figures, round = 1): Recording {
  return { round, scenario, subject, figures };
}

test("a figure is compared with the closest competitor, in the direction that is better", () => {
  const recordings = [
    recording("calls stdio", "jackfield", { callsPerSecond: 100, sequentialP50Ms: 2 }),
    recording("calls stdio", "raw-sdk", { callsPerSecond: 50, sequentialP50Ms: 1 }),
    recording("calls stdio", "mastra", { callsPerSecond: 80, sequentialP50Ms: 4 }),
    recording("calls stdio", "hand-written", { callsPerSecond: 900, sequentialP50Ms: 0.1 }),
    recording("calls stdio", "jackfield-ai-sdk", { callsPerSecond: 99, sequentialP50Ms: 2 }),
  ];
  const compared = compareWithAll(recordings, QUICK);
  expect(compared).toMatchObject([
    { figure: { figure: "callsPerSecond" }, closest: "mastra", theirs: 80, isAhead: true },
  ]);
  expect(comparisonTable(compared)).toMatch(/@mastra\/mcp +100 +80\.0 +1\.25 \(1\.25-1\.25\) +yes$/m);
});

test("a warm start is compared with a warm one, a cold start with a cold one", () => {
  const recordings = [
    recording("start 20", "jackfield", { readyMs: 300 }),
    recording("start 20", "jackfield-catalog", { readyMs: 100 }),
    recording("start 20", "raw-sdk", { readyMs: 400 }),
    recording("start 20", "mastra-catalog", { readyMs: 200 }),
  ];
  expect(compareWithAll(recordings, QUICK)).toMatchObject([
    { figure: { subject: "jackfield" }, closest: "raw-sdk", isAhead: true },
    { figure: { subject: "jackfield-catalog" }, closest: "mastra-catalog", isAhead: true },
  ]);
});

test("a target can compare with another scenario, subject or figure of the same round", () => {
  const recordings = [
    recording("start 20", "raw-sdk", { readyMs: 400 }),
    recording("start 20, one hangs", "jackfield-catalog", { readyMs: 120 }),
    recording("calls http-sse", "raw-sdk", { callsPerSecond: 400 }),
    recording("calls http-sse", "jackfield-langchain", { callsPerSecond: 700 }),
    recording("start 1", "jackfield-catalog", { firstUseMs: 45, comparedMs: 50 }),
  ];
  const result = (title: string) => targetResults(recordings).find((one) => one.title.startsWith(title));
  expect(result("warm start, 20 servers, one of which hangs")).toMatchObject({
    measured: { median: 0.3 },
    limit: 0.25,
    isKept: false,
  });
  expect(result("HTTP with event streams, calls at once through LangChain")).toMatchObject({
    measured: { median: 1.75 },
    isKept: false,
  });
  expect(result("first use after a warm start")).toMatchObject({ measured: { median: 0.9 }, isKept: true });
  expect(result("cold start, 1 server")?.measured).toBeUndefined();
});

test("a curve that grows with the square of the size misses its target", () => {
  const curve = (of: string, power: number) =>
    [10, 100, 1_000].map((size) =>
      recording(`curve of ${of} ${size}`, "jackfield", { pointMs: size ** power }),
    );
  const results = targetResults([...curve("tools", 2), ...curve("bytes", 1)]);
  const isKept = (title: string) => results.find((one) => one.title.startsWith(title))?.isKept;
  expect(isKept("growth with tools")).toBe(false);
  expect(isKept("growth with bytes")).toBe(true);
});
