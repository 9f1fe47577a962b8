import { describe, expect, test } from "vitest";
import { characterTable, characterTest } from "../src/character-table.ts";

describe("a table of characters", () => {
  test("computes each character once and confuses none with another", () => {
    const asked: number[] = [];
    const table = characterTable((codePoint) => {
      asked.push(codePoint);
      return 1 + (codePoint % 255);
    });
    const points = [0, 1, 1_023, 1_024, 0xd800, 0xffff, 0x10000, 0x10ffff];
    for (const round of [1, 2]) {
      expect([round, ...points.map(table)]).toEqual([round, ...points.map((point) => 1 + (point % 255))]);
    }
    expect(asked).toEqual(points);
  });

  test("tells whether a code point is in a set, and refuses -1", () => {
    const isLetter = characterTest(String.raw`\p{L}`);
    expect([0x61, 0x31, 0x1d41a, -1, 0x61].map(isLetter)).toEqual([true, false, true, false, true]);
  });
});
