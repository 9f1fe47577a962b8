import { describe, expect, it } from "vitest";
import { createSchemaIndex, SchemaTooLarge } from "../../src/schema/schema-index.ts";
import { createSchemaValidator } from "../../src/schema/schema-validator.ts";
import type { JsonSchema } from "../../src/schema/subschemas.ts";
import { WorkExceeded } from "../../src/schema/work-budget.ts";

const nested = (depth: number, wrap: (inner: unknown) => unknown): JsonSchema => {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return schema as JsonSchema;
};

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

  it("many different items are told apart without comparing each with each", () => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    expect(createSchemaValidator({ uniqueItems: true }).problems(items)).toEqual([]);
    expect(createSchemaValidator({ uniqueItems: true }).problems([...items, { n: 7 }])).toHaveLength(1);
  });
});
