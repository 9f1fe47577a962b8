import { describe, expect, test } from "vitest";
import { budgetResults, budgetTable } from "../src/budget.ts";
import type { Figures } from "../src/measurement.ts";
import type { Recording } from "../src/recording.ts";
import { callScenario, KNOWN_SCENARIO, OVERHEAD_SCENARIO } from "../src/step.ts";
import type { Subject } from "../src/subject.ts";

function recording(round: number, scenario: string, subject: Subject, figures: Figures): Recording {
  return { round, scenario, subject, figures };
}

const RECORDINGS = [
  recording(1, KNOWN_SCENARIO, "jackfield-catalog", { readyMs: 300 }),
  recording(1, KNOWN_SCENARIO, "bare-node", { readyMs: 100 }),
  recording(2, KNOWN_SCENARIO, "jackfield-catalog", { readyMs: 900 }),
  recording(2, KNOWN_SCENARIO, "bare-node", { readyMs: 780 }),
  recording(3, KNOWN_SCENARIO, "jackfield-catalog", { readyMs: 240 }),
  recording(3, KNOWN_SCENARIO, "bare-node", { readyMs: 100 }),
  recording(1, OVERHEAD_SCENARIO, "jackfield", { addedCpuMs: 0.0052 }),
  recording(1, callScenario("http-json"), "jackfield", { callsPerSecond: 9_000 }),
  recording(1, callScenario("http-json"), "raw-sdk", { callsPerSecond: 2_000 }),
  recording(1, callScenario("http-sse"), "jackfield", { callsPerSecond: 7_000 }),
  recording(1, callScenario("http-sse"), "raw-sdk", { callsPerSecond: 2_000 }),
];

describe("budgets", () => {
  test("a relative budget is measured round by round and judged by its median", () => {
    const result = budgetResults(RECORDINGS).find(({ title }) => title.startsWith("1,000 servers"));
    expect(result).toMatchObject({
      unit: "ms",
      limit: 150,
      measured: { median: 140, lowest: 120, highest: 200 },
      isKept: true,
    });
  });

  test("a budget in microseconds is reported in them, and missed above its limit", () => {
    const result = budgetResults(RECORDINGS).find(({ title }) => title.startsWith("CPU added"));
    expect(result).toMatchObject({ unit: "us", limit: 5, isKept: false });
    expect(result?.measured?.median).toBeCloseTo(5.2);
  });

  test("a minimum budget is kept above its limit and missed below it", () => {
    const results = budgetResults(RECORDINGS).filter(({ title }) => title.startsWith("calls/s"));
    expect(results).toMatchObject([
      { limit: 3, isLeast: true, measured: { median: 4.5 }, isKept: true },
      { limit: 4, isLeast: true, measured: { median: 3.5 }, isKept: false },
    ]);
  });

  test("the table has a line for each budget, measured or not", () => {
    const results = budgetResults(RECORDINGS);
    const lines = budgetTable(results).split("\n").slice(2);
    expect(lines).toHaveLength(results.length);
    expect(lines.find((line) => line.startsWith("1,000 servers"))).toMatch(
      / ms +140 +120 +200 +<= 150 +yes$/,
    );
    expect(lines.find((line) => line.startsWith("CPU added"))).toMatch(/ us +5\.20 .* <= 5 +no$/);
    expect(lines.find((line) => line.startsWith("tools() of 10,000"))).toMatch(/ ms +- +- +- +<= 1 +-$/);
  });
});
