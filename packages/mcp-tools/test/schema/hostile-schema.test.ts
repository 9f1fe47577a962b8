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

describe("[T64] a hostile schema", () => {
  it.each<[string, JsonSchema]>([
    ["200,000 schemas deep", nested(200_000, (items) => ({ items }))],
    [
      "20,000 properties",
      { properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [n, {}])) },
    ],
  ])("is refused before it is indexed: %s", (_title, schema) => {
    expect(() => createSchemaIndex(schema)).toThrow(SchemaTooLarge);
  });

  it.each<[string, JsonSchema, unknown]>([
    ["a reference to itself", { $ref: "#" }, 1],
    [
      "circular references",
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
      "a huge enum for each of many items",
      { items: { enum: Array.from({ length: 50_000 }, (_, n) => `v${n}`) } },
      Array.from({ length: 1_000 }, () => "x"),
    ],
  ])("exceeds the work budget: %s", (_title, schema, value) => {
    // The doubling ends in an unresolvable reference, which by itself would be fine.
    expect(() => createSchemaValidator(schema).problems(value)).toThrow(WorkExceeded);
  });

  it.each<[string, JsonSchema, unknown]>([
    ["many required names", { items: { required: names(1_000) } }, many(1_000, { a: 1 })],
    [
      "long lists in dependentRequired",
      { items: { dependentRequired: { a: names(5_000) } } },
      many(200, { a: 1 }),
    ],
    [
      "many names in dependentRequired",
      { items: { dependentRequired: members(5_000, []) } },
      many(100, { k0: 1, k1: 1 }),
    ],
    [
      "many names in draft-07 dependencies",
      { items: { dependencies: members(5_000, []) } },
      many(100, { k0: 1, k1: 1 }),
    ],
    ["objects compared with a const", { items: { const: members(1_000) } }, many(200, members(1_000))],
    ["arrays compared with a const", { items: { const: many(2_000, 1) } }, many(500, many(2_000, 1))],
    ["long strings compared with a const", { items: { const: LONG } }, many(400, `${LONG.slice(1)}y`)],
    ["objects in an enum", { items: { enum: many(100, members(100)) } }, many(100, members(100, 2))],
    ["enum values quoted in messages", { items: { enum: many(10, members(1_000)) } }, many(100, 1)],
    ["large objects under uniqueItems", { allOf: many(200, { uniqueItems: true }) }, [members(1_000), 2]],
    ["long strings under uniqueItems", { allOf: many(500, { uniqueItems: true }) }, [LONG, 2]],
    ["members counted for minProperties", { allOf: many(500, { minProperties: 1 }) }, members(1_000)],
    ["members that properties does not name", { allOf: many(500, { properties: {} }) }, members(1_000)],
    [
      "many patternProperties on empty objects",
      { items: { patternProperties: members(5_000) } },
      many(20, {}),
    ],
    ["long names under propertyNames", { allOf: many(500, { propertyNames: true }) }, { [LONG]: 1 }],
    ["characters counted for minLength", { allOf: many(100, { minLength: 90_000 }) }, LONG],
    ["a long pattern", { pattern: LONG.repeat(3) }, ""],
    [
      "many short pattern matches",
      { patternProperties: members(110, true) },
      Object.fromEntries(many(1_000, 1).map((_, n) => [String.fromCodePoint(n + 256), 1])),
    ],
    ["malformed alternatives", { items: { anyOf: [true, ...many(5_000, 1)] } }, many(200, 1)],
    ["malformed prefixItems", { allOf: many(1_000, { prefixItems: many(1_000, 1) }) }, many(1_000, 1)],
    [
      "members that an unresolved reference may have evaluated",
      { allOf: many(500, { $ref: "https://example.com/" }), unevaluatedProperties: false },
      members(1_000),
    ],
    [
      "items evaluated inside deeply nested allOf",
      { allOf: [nested(100, (part) => ({ allOf: [part] }), { items: true })], unevaluatedItems: false },
      many(10_000, 1),
    ],
    [
      "references resolved against a long base URI",
      { $id: `https://a/${LONG.slice(98_000)}`, items: { $ref: "b" } },
      many(2_000, 1),
    ],
  ])("exceeds the work budget on %s", (_title, schema, value) => {
    expect(() => createSchemaValidator(schema).problems(value)).toThrow(WorkExceeded);
  });

  it("is refused before it is indexed when its base URI is too long", () => {
    expect(() => createSchemaIndex({ $id: `https://a/${LONG}` })).toThrow(SchemaTooLarge);
  });

  it("reports 20 problems at most and shortens names and values", () => {
    const schema = { items: { required: Array.from({ length: 50 }, (_, n) => `${n}${LONG}`) } };
    const problems = createSchemaValidator(schema).problems(many(1_000, {}));
    expect(problems).toHaveLength(20);
    expect(problems[0]?.message).toContain(" and 40 more");
    expect(JSON.stringify(problems).length).toBeLessThan(40_000);
    const listed = { enum: [[LONG, LONG], { a: { b: LONG } }, `"${LONG}`, null] };
    const shown = listed.enum.map((value) => JSON.stringify(value).slice(0, 64)).join(", ");
    expect(createSchemaValidator(listed).problems(1)[0]?.message).toBe(`must be one of ${shown}`);
  });

  it("reports the nearest alternative when each misses more than is kept", () => {
    const wanting = (count: number) => ({ items: { allOf: many(count, { type: "string" }) } });
    const { problems } = createSchemaValidator({ anyOf: [wanting(9), wanting(8)], allOf: [wanting(3)] });
    expect(problems(many(5, 1))).toHaveLength(20);
    expect(createSchemaValidator({ anyOf: [wanting(9), { type: "object" }] }).problems(many(5, 1))).toEqual([
      { path: "", message: "must match one of 2 alternatives" },
      { path: "", message: "must be of type object" },
    ]);
  });

  it("reads a long type array at most twice, not for each item", () => {
    const type = countedReads(many(200_000, "string"));
    const { problems } = createSchemaValidator({ items: { type: type.value }, maxItems: 9_000 });
    expect(problems(many(9_000, "a"))).toEqual([]);
    expect(type.reads()).toBeLessThanOrEqual(2);
  });

  it("checks 20,000 unique items without comparing every pair", () => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    expect(createSchemaValidator({ uniqueItems: true }).problems(items)).toEqual([]);
    expect(createSchemaValidator({ uniqueItems: true }).problems([...items, { n: 7 }])).toHaveLength(1);
  });
});
