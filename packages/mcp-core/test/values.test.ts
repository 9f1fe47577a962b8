import { isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { isRecord, isSameJson } from "../src/index.ts";

describe("isRecord", () => {
  it.each([{}, { a: 1 }, Object.create(null), new Map(), runInNewContext("({})")])("accepts %o", (value) => {
    expect(isRecord(value)).toBe(true);
  });

  it.each([null, undefined, [], "", "text", 0, true, () => {}, runInNewContext("[]")])(
    "does not accept %o",
    (value) => {
      expect(isRecord(value)).toBe(false);
    },
  );
});

const SCALARS = [null, true, false, 0, 1, 1.5, "", "0", "a", "constructor"];
const FLAT = [...SCALARS, [], {}, ...SCALARS.map((value) => [value]), ...SCALARS.map((a) => ({ a }))];
const NESTED = FLAT.flatMap((value) => [[value, 1], { a: value, b: [value] }, { b: [value], a: value }]);
const VALUES = [...FLAT, ...NESTED];

describe("isSameJson", () => {
  it("agrees with isDeepStrictEqual for any two JSON values", () => {
    for (const a of VALUES) {
      for (const b of VALUES) {
        const same = isDeepStrictEqual(a, b);
        if (isSameJson(a, structuredClone(b)) !== same)
          expect.fail(`${JSON.stringify(a)} and ${JSON.stringify(b)}`);
      }
    }
  });

  it.each<[what: string, a: unknown, b: unknown, same: boolean]>([
    ["ignores the order of members", { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ["distinguishes the order of items", [1, 2], [2, 1], false],
    ["distinguishes lists of different lengths", [1], [1, 2], false],
    ["distinguishes an array from an object with the same members", [1], { 0: 1 }, false],
    ["distinguishes an undefined member from a missing one", { a: undefined }, {}, false],
    ["does not compare an own member with an inherited one", { constructor: Object }, { a: 1 }, false],
    ["distinguishes an undefined member from one of another name", { a: undefined }, { b: 1 }, false],
    [
      "compares a member called __proto__",
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"__proto__":2}'),
      false,
    ],
    ["distinguishes null from an empty object", null, {}, false],
    ["has one zero, as JSON", 0, -0, true],
    ["finds a value that is no number the same as itself", { a: Number.NaN }, { a: Number.NaN }, true],
    ["accepts an object of another realm", { a: [1] }, runInNewContext("({ a: [1] })"), true],
    ["accepts an object without a prototype", { a: 1 }, Object.assign(Object.create(null), { a: 1 }), true],
    ["distinguishes two class instances that look alike", new Map(), new Map(), false],
    ["distinguishes two dates", new Date(0), new Date(1), false],
  ])("%s", (_what, a, b, same) => {
    expect(isSameJson(a, b)).toBe(same);
    expect(isSameJson(b, a)).toBe(same);
  });

  it("tells how much it compared, and ends when it is told to", () => {
    const long = "x".repeat(1_280);
    let spent = 0;
    const work = {
      spend: (units: number) => {
        spent += units;
      },
    };
    expect(isSameJson({ a: [1, 2, long] }, { a: [1, 2, `${long.slice(1)}x`] }, work)).toBe(true);
    expect(spent).toBeGreaterThan(10);
    const stop = () => {
      throw new Error("enough");
    };
    expect(() => isSameJson({ a: 1 }, { a: 1 }, { spend: stop })).toThrow("enough");
  });
});
