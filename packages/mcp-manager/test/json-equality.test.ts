import { isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameJson } from "../src/json-equality.ts";

describe("isSameJson", () => {
  it("agrees with isDeepStrictEqual for any two JSON values", () => {
    const pair = fc.oneof(
      fc.tuple(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 })),
      fc.jsonValue({ maxDepth: 4 }).map((value) => [value, structuredClone(value)] as const),
    );
    fc.assert(
      fc.property(pair, ([a, b]) => {
        expect(isSameJson(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  it.each<[what: string, a: unknown, b: unknown, same: boolean]>([
    ["ignores the order of members", { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ["distinguishes the order of items", [1, 2], [2, 1], false],
    ["distinguishes lists of different lengths", [1], [1, 2], false],
    ["distinguishes an array from an object with the same members", [1], { 0: 1 }, false],
    ["distinguishes an undefined member from a missing one", { a: undefined }, {}, false],
    ["does not compare an own member with an inherited one", { constructor: undefined }, { a: 1 }, false],
    ["distinguishes null from an empty object", null, {}, false],
    ["accepts an object of another realm", { a: [1] }, runInNewContext("({ a: [1] })"), true],
    ["accepts an object without a prototype", { a: 1 }, Object.assign(Object.create(null), { a: 1 }), true],
    ["distinguishes two class instances that look alike", new Map(), new Map(), false],
  ])("%s", (_what, a, b, same) => {
    expect(isSameJson(a, b)).toBe(same);
    expect(isSameJson(b, a)).toBe(same);
  });
});
