import { describe, expect, test } from "vitest";
import { curveSamples, endSlopeOf, slopeOf } from "../src/curve-fit.ts";
import type { Recording } from "../src/recording.ts";

const SIZES = [1, 10, 100, 1_000];

describe("the slope of a curve", () => {
  test.each([
    { name: "a constant time", ms: () => 7, slope: 0 },
    { name: "a time that grows with the size", ms: (size: number) => 3 * size, slope: 1 },
    { name: "a time that grows with the square of the size", ms: (size: number) => size ** 2 / 5, slope: 2 },
  ])("of $name is $slope", ({ ms, slope }) => {
    const samples = SIZES.map((size) => ({ size, ms: ms(size) }));
    expect(slopeOf(samples)).toBeCloseTo(slope, 10);
    expect(endSlopeOf(samples)).toBeCloseTo(slope, 10);
  });

  test("at its end is not flattened by a fixed cost at small sizes", () => {
    const samples = SIZES.map((size) => ({ size, ms: 10 + size ** 2 })).reverse();
    expect(slopeOf(samples)).toBeLessThan(1.7);
    expect(endSlopeOf(samples)).toBeGreaterThan(1.9);
  });

  test("is undefined for fewer than two sizes", () => {
    expect(slopeOf([{ size: 10, ms: 1 }])).toBeUndefined();
    expect(slopeOf([])).toBeUndefined();
  });
});

test("curveSamples returns one subject's samples, in a list for each round", () => {
  const recording = (round: number, scenario: string, pointMs: number, subject = "jackfield"): Recording => {
    return { round, scenario, subject: subject as Recording["subject"], figures: { pointMs } };
  };
  const recordings = [
    recording(1, "curve of tools 10", 1),
    recording(1, "curve of tools 100", 2),
    recording(1, "curve of tools 100", 9, "raw-sdk"),
    recording(1, "curve of servers 100", 5),
    recording(2, "curve of tools 10", 3),
  ];
  expect(curveSamples(recordings, "jackfield", "tools")).toEqual([
    [
      { size: 10, ms: 1 },
      { size: 100, ms: 2 },
    ],
    [{ size: 10, ms: 3 }],
  ]);
});
