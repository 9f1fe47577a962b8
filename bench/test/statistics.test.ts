import { describe, expect, test } from "vitest";
import { median, quantile, spreadOf } from "../src/statistics.ts";

describe("statistics", () => {
  test.each([
    { numbers: [7], share: 0.99, expected: 7 },
    { numbers: [3, 1, 2], share: 0.5, expected: 2 },
    { numbers: [4, 1, 3, 2], share: 0.5, expected: 2.5 },
    { numbers: [10, 9, 1], share: 0, expected: 1 },
    { numbers: [10, 9, 1], share: 1, expected: 10 },
    { numbers: [0, 100], share: 0.99, expected: 99 },
  ])("the quantile $share of $numbers is $expected", ({ numbers, share, expected }) => {
    expect(quantile(numbers, share)).toBeCloseTo(expected, 10);
  });

  test("the median sorts numerically and does not change the list", () => {
    const numbers = [100, 9, 20];
    expect(median(numbers)).toBe(20);
    expect(numbers).toEqual([100, 9, 20]);
  });

  test("a spread holds the median, the lowest and the highest number", () => {
    expect(spreadOf([5, 1, 3])).toEqual({ median: 3, lowest: 1, highest: 5 });
  });

  test("the median of no numbers throws", () => {
    expect(() => median([])).toThrow(RangeError);
  });
});
