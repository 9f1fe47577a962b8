import { describe, expect, it } from "vitest";
import { createSchemaIndex, SchemaTooLarge } from "../../src/schema/schema-index.ts";
import { createSchemaValidator } from "../../src/schema/schema-validator.ts";
import type { JsonSchema } from "../../src/schema/subschemas.ts";
import { WorkExceeded } from "../../src/schema/work-budget.ts";
import { countedReads } from "../counted-reads.ts";

const nested = (
  depth: number,
  wrap: (inner: unknown) => unknown,
  innermost: unknown = { type: "string" },
): JsonSchema => {
  let schema = innermost;
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return schema as JsonSchema;
};

const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const names = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`);
const members = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]));
const LONG = "x".repeat(100_000);

describe("[T64] a schema that is a bomb ends the check, not the process", () => {
  it.each<[string, JsonSchema]>([
    ["200,000 schemas deep", nested(200_000, (items) => ({ items }))],
    [
      "20,000 properties",
      { properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [n, {}])) },
    ],
  ])("is not looked at: %s", (_title, schema) => {
    expect(() => createSchemaIndex(schema)).toThrow(SchemaTooLarge);
  });

  it.each<[string, JsonSchema, unknown]>([
    ["a reference to itself", { $ref: "#" }, 1],
    [
      "references in a circle",
      { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" },
      1,
    ],
    [
      "alternatives that double thirty times",
      {
        $defs: Object.fromEntries(
          Array.from({ length: 30 }, (_, n) => [
            `d${n}`,
            { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]),
        ),
        $ref: "#/$defs/d0",
      },
      1,
    ],
    [
      "a huge enumeration for each of many items",
      { items: { enum: Array.from({ length: 50_000 }, (_, n) => `v${n}`) } },
      Array.from({ length: 1_000 }, () => "x"),
    ],
  ])("is given up: %s", (_title, schema, value) => {
    // The doubling ends in a reference that leads nowhere, which would be fine.
    expect(() => createSchemaValidator(schema).problems(value)).toThrow(WorkExceeded);
  });

  it.each<[string, JsonSchema, unknown]>([
    ["required names", { items: { required: names(1_000) } }, many(1_000, { a: 1 })],
    ["names that others require", { items: { dependentRequired: { a: names(5_000) } } }, many(200, { a: 1 })],
    ["dependent names", { items: { dependentRequired: members(5_000, []) } }, many(100, { k0: 1, k1: 1 })],
    ["draft 7's dependencies", { items: { dependencies: members(5_000, []) } }, many(100, { k0: 1, k1: 1 })],
    ["an object that is to be compared", { items: { const: members(1_000) } }, many(200, members(1_000))],
    ["a list that is to be compared", { items: { const: many(2_000, 1) } }, many(500, many(2_000, 1))],
    ["a text that is to be compared", { items: { const: LONG } }, many(400, `${LONG.slice(1)}y`)],
    ["objects in an enumeration", { items: { enum: many(100, members(100)) } }, many(100, members(100, 2))],
    ["values that are told", { items: { enum: many(10, members(1_000)) } }, many(100, 1)],
    ["large items that must differ", { allOf: many(200, { uniqueItems: true }) }, [members(1_000), 2]],
    ["long items that must differ", { allOf: many(500, { uniqueItems: true }) }, [LONG, 2]],
    ["counted members", { allOf: many(500, { minProperties: 1 }) }, members(1_000)],
    ["members beside those that are judged", { allOf: many(500, { properties: {} }) }, members(1_000)],
    ["patterns of names that judge nothing", { items: { patternProperties: members(5_000) } }, many(20, {})],
    ["long names", { allOf: many(500, { propertyNames: true }) }, { [LONG]: 1 }],
    ["counted characters", { allOf: many(100, { minLength: 90_000 }) }, LONG],
    ["a long pattern", { pattern: LONG.repeat(3) }, ""],
    [
      "short matches",
      { patternProperties: members(110, true) },
      Object.fromEntries(many(1_000, 1).map((_, n) => [String.fromCodePoint(n + 256), 1])),
    ],
    ["alternatives that are none", { items: { anyOf: [true, ...many(5_000, 1)] } }, many(200, 1)],
    ["first items of no schema", { allOf: many(1_000, { prefixItems: many(1_000, 1) }) }, many(1_000, 1)],
    [
      "members that an unknown schema may have looked at",
      { allOf: many(500, { $ref: "https://example.com/" }), unevaluatedProperties: false },
      members(1_000),
    ],
    [
      "items that were looked at far within",
      { allOf: [nested(100, (part) => ({ allOf: [part] }), { items: true })], unevaluatedItems: false },
      many(10_000, 1),
    ],
    ["addresses", { $id: `https://a/${LONG.slice(98_000)}`, items: { $ref: "b" } }, many(2_000, 1)],
  ])("is given up for what it makes of %s", (_title, schema, value) => {
    expect(() => createSchemaValidator(schema).problems(value)).toThrow(WorkExceeded);
  });

  it("is not looked at if each reference would have a long address parsed", () => {
    expect(() => createSchemaIndex({ $id: `https://a/${LONG}` })).toThrow(SchemaTooLarge);
  });

  it("keeps a few problems only, and tells a few names and the beginning of values", () => {
    const schema = { items: { required: Array.from({ length: 50 }, (_, n) => `${n}${LONG}`) } };
    const problems = createSchemaValidator(schema).problems(many(1_000, {}));
    expect(problems).toHaveLength(20);
    expect(problems[0]?.message).toContain(" and 40 more");
    expect(JSON.stringify(problems).length).toBeLessThan(40_000);
    const listed = { enum: [[LONG, LONG], { a: { b: LONG } }, `"${LONG}`, null] };
    const shown = listed.enum.map((value) => JSON.stringify(value).slice(0, 64)).join(", ");
    expect(createSchemaValidator(listed).problems(1)[0]?.message).toBe(`must be one of ${shown}`);
  });

  it("tells the nearest of alternatives that miss more than is kept", () => {
    const wanting = (count: number) => ({ items: { allOf: many(count, { type: "string" }) } });
    const { problems } = createSchemaValidator({ anyOf: [wanting(9), wanting(8)], allOf: [wanting(3)] });
    expect(problems(many(5, 1))).toHaveLength(20);
    expect(createSchemaValidator({ anyOf: [wanting(9), { type: "object" }] }).problems(many(5, 1))).toEqual([
      { path: "", message: "must match one of 2 alternatives" },
      { path: "", message: "must be of type object" },
    ]);
  });

  it("reads a long list of types once, not for each item", () => {
    const type = countedReads(many(200_000, "string"));
    const { problems } = createSchemaValidator({ items: { type: type.value }, maxItems: 9_000 });
    expect(problems(many(9_000, "a"))).toEqual([]);
    expect(type.reads()).toBeLessThanOrEqual(2);
  });

  it("many different items are told apart without comparing each with each", () => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    expect(createSchemaValidator({ uniqueItems: true }).problems(items)).toEqual([]);
    expect(createSchemaValidator({ uniqueItems: true }).problems([...items, { n: 7 }])).toHaveLength(1);
  });
});
