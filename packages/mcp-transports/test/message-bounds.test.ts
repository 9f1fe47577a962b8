import { describe, expect, test } from "vitest";
import { findExcess } from "../src/message-check.ts";

const nested = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth));

describe("[T86] the bounds of a message", () => {
  test.each([
    [256, undefined],
    [257, "it is nested more than 256 levels deep"],
    [200_000, "it is nested more than 256 levels deep"],
  ])("a list nested %d levels deep", (depth, excess) => {
    expect(findExcess(nested(depth))).toBe(excess);
  });

  test("objects and lists count alike, and the deepest branch decides", () => {
    expect(findExcess({ flat: [1, "[[["], deep: { a: nested(254) } })).toBeUndefined();
    expect(findExcess({ flat: [1, "[[["], deep: { a: nested(255) } })).toContain("256 levels");
  });

  test.each([
    [999_999, undefined],
    [1_000_000, "it has more than 1000000 parts"],
  ])("%d empty objects in a list", (count, excess) => {
    expect(findExcess(Array.from({ length: count }, () => ({})))).toBe(excess);
  });

  test("numbers and strings do not count as parts", () => {
    expect(findExcess(new Array(2_000_000).fill(0))).toBeUndefined();
    for (const plain of [null, 5, "text", true]) expect(findExcess(plain)).toBeUndefined();
  });
});
