import { describe, expect, it } from "vitest";
import { createPlainFit } from "../../src/schema/plain-arguments.ts";
import { createSchemaValidator } from "../../src/schema/schema-validator.ts";
import type { JsonSchema } from "../../src/schema/subschemas.ts";

const PLAIN = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    path: { type: "string", description: "Where.", format: "uri" },
    lines: { type: "integer", default: 10 },
    ratio: { type: "number" },
    isDeep: { type: "boolean" },
    short: { type: "string", maxLength: 2 },
    nested: { type: "object", properties: { path: { type: "string" } } },
    either: { type: ["string", "null"] },
    anything: true,
    toString: { type: "string" },
  },
  required: ["path", 7],
  additionalProperties: false,
};

const fits = (schema: JsonSchema, value: unknown) => createPlainFit(schema)?.(value);

describe("the fast path for plain arguments", () => {
  it.each<[unknown, boolean]>([
    [{ path: "a" }, true],
    [{ path: "a", lines: 3, ratio: 0.5, isDeep: false }, true],
    [{}, false],
    [{ path: 1 }, false],
    [{ path: undefined }, false],
    [{ path: "a", lines: 0.5 }, false],
    [{ path: "a", other: 1 }, false],
    [{ path: "a", short: "b" }, false],
    [{ path: "a", nested: {} }, false],
    [{ path: "a", either: null }, false],
    [{ path: "a", anything: 1 }, false],
    [Object.create({ path: "a" }), false],
    [["a"], false],
    ["a", false],
    [null, false],
  ])("says that %j certainly fits: %s", (value, isKnown) => {
    expect(fits(PLAIN, value)).toBe(isKnown);
  });

  it.each([
    true,
    {},
    { properties: {} },
    { type: "array" },
    { ...PLAIN, minProperties: 2 },
    { ...PLAIN, patternProperties: {} },
    { ...PLAIN, unevaluatedProperties: false },
    { ...PLAIN, $ref: "#/$defs/a" },
    { ...PLAIN, not: {} },
    { ...PLAIN, "x-unknown": 1 },
  ])("leaves a schema it does not fully cover to the full check: %j", (schema) => {
    expect(createPlainFit(schema as JsonSchema)).toBeUndefined();
  });

  it("reports the same problems as the full check", () => {
    const values: unknown[] = [undefined, null, "", "abc", 1, 0.5, true, [], {}, { path: "a" }];
    const whole = createSchemaValidator({ ...PLAIN, allOf: [] });
    const quick = createSchemaValidator(PLAIN);
    for (const name of ["path", "lines", "ratio", "isDeep", "short", "nested", "either", "anything", "other"])
      for (const value of values)
        for (const rest of [{}, { path: "a" }]) {
          const args = { ...rest, [name]: value };
          expect(quick.problems(args)).toEqual(whole.problems(args));
        }
  });

  it("[T64] does not bypass the refusal of a schema with too many parts", () => {
    const properties = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [n, { type: "string" }]));
    expect(() => createSchemaValidator({ type: "object", properties })).toThrow("too many parts");
  });
});
