import { isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameJson } from "../src/json-equality.ts";

describe("the same JSON", () => {
  it("is what Node takes for equal, and nothing else", () => {
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
    ["members in another order", { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ["items in another order", [1, 2], [2, 1], false],
    ["a list that is longer", [1], [1, 2], false],
    ["a list and a map like it", [1], { 0: 1 }, false],
    ["a member that is undefined and one that is missing", { a: undefined }, {}, false],
    ["a member and one that is inherited", { constructor: undefined }, { a: 1 }, false],
    ["null and an empty object", null, {}, false],
    ["an object of another realm", { a: [1] }, runInNewContext("({ a: [1] })"), true],
    ["an object without prototype", { a: 1 }, Object.assign(Object.create(null), { a: 1 }), true],
    ["two instances that look alike", new Map(), new Map(), false],
  ])("%s", (_what, a, b, same) => {
    expect(isSameJson(a, b)).toBe(same);
    expect(isSameJson(b, a)).toBe(same);
  });
});
