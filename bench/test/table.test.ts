import { describe, expect, test } from "vitest";
import { formatNumber, formatRatio, formatTable } from "../src/table.ts";

describe("tables", () => {
  test("labels are aligned left, numbers right", () => {
    const table = formatTable({
      header: ["client", "ms"],
      rows: [
        ["Jackfield", "7"],
        ["raw SDK", "1,234"],
      ],
      labels: 1,
    });
    expect(table.split("\n")).toEqual([
      "client        ms",
      "---------  -----",
      "Jackfield      7",
      "raw SDK    1,234",
    ]);
  });

  test.each([
    { number: 0.0312, expected: "0.031" },
    { number: 1.234, expected: "1.23" },
    { number: 45.67, expected: "45.7" },
    { number: 152_690.4, expected: "152,690" },
    { number: undefined, expected: "-" },
  ])("$number is formatted as $expected", ({ number, expected }) => {
    expect(formatNumber(number)).toBe(expected);
  });

  test("a ratio is formatted with its spread", () => {
    expect(formatRatio({ median: 0.984, lowest: 0.9, highest: 1.069 })).toBe("0.98 (0.90-1.07)");
    expect(formatRatio(undefined)).toBe("-");
  });
});
