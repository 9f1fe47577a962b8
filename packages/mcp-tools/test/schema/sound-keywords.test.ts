import { describe, expect, it } from "vitest";
import { fitSchema } from "../../src/fitting/fit-schema.ts";
import type { SchemaProfile } from "../../src/fitting/schema-profile.ts";
import { createSchemaValidator } from "../../src/schema/schema-validator.ts";
import { countedReads } from "../counted-reads.ts";
import { judgeOf } from "./ajv.ts";

type Schema = Record<string, unknown>;

const MALFORMED: readonly (readonly [title: string, schema: Schema, expected: Schema])[] = [
  ["a type that does not exist", { type: "int", title: "T" }, { title: "T" }],
  ["a type that is told twice", { type: ["string", "string"] }, { type: ["string"] }],
  ["types of which one exists", { type: ["string", "any", "string"] }, {}],
  ["types of which none exists", { type: ["int", null] }, {}],
  ["no list of required names", { type: "string", required: true }, { type: "string" }],
  ["a name that is required twice", { required: ["a", "a"] }, { required: ["a"] }],
  ["a required name that is none", { required: ["a", 5] }, { required: ["a"] }],
  ["dependent names", { dependentRequired: { a: "b", c: ["d", "d"] } }, { dependentRequired: { c: ["d"] } }],
  ["items of nothing", { type: "string", items: null }, { type: "string" }],
  ["no items in front", { items: [] }, {}],
  ["properties that are a list", { properties: [] }, {}],
  ["a text as the schema of a property", { properties: { a: "string" } }, { properties: { a: {} } }],
  ["an additional text", { additionalProperties: "string" }, {}],
  ["a text as a bound", { type: "number", minimum: "1" }, { type: "number" }],
  ["a negative length", { type: "string", maxLength: -1 }, { type: "string" }],
  ["half a character", { minLength: 1.5 }, {}],
  ["half an item", { maxItems: 1.5 }, {}],
  ["a negative number of properties", { maxProperties: -1 }, {}],
  ["a multiple of nothing", { multipleOf: 0 }, {}],
  ["a text as an enum", { enum: "a" }, {}],
  ["a number as a description", { description: 5, type: "string" }, { type: "string" }],
  ["one alternative without a list", { anyOf: { type: "string" } }, {}],
  [
    "an alternative that is a text",
    { anyOf: ["a", { type: "string" }] },
    { anyOf: [{}, { type: "string" }] },
  ],
  ["a list as the schema of dependents", { dependentSchemas: { a: ["b"] } }, { dependentSchemas: { a: {} } }],
  ["a text as an example", { type: "string", examples: "a" }, { type: "string" }],
  ["a text as the schema of content", { type: "string", contentSchema: "a" }, { type: "string" }],
  ["no parts", { allOf: [] }, {}],
  ["no alternatives", { anyOf: [] }, {}],
  ["no alternatives, of which one must fit", { oneOf: [] }, {}],
  ["a reference that is a number", { $ref: 5 }, {}],
  ["an address that is an object", { $id: {} }, {}],
  ["a comment that is an object", { $comment: {} }, {}],
  ["a pattern that is a number", { pattern: 5 }, {}],
  ["a flag that is a text", { uniqueItems: "true", readOnly: "no" }, {}],
  ["dependencies that are a text", { dependencies: "a" }, {}],
];

/** What of a schema is certain, whatever its server makes of the rest. */
const CERTAIN: readonly (readonly [schema: Schema, certain: Schema])[] = [
  ...MALFORMED.map(([, malformed, expected]) => [malformed, expected] as const),
  [{ contains: { type: "string" }, minContains: "0", unevaluatedItems: false }, {}],
  [{ contains: { type: "string" }, minContains: -1 }, {}],
  [{ contains: { type: "string" }, minContains: null }, { contains: { type: "string" } }],
  [{ contains: { type: "int" }, maxContains: 1 }, { minItems: 1 }],
  [{ contains: { type: "string" }, maxContains: -1 }, { contains: { type: "string" } }],
  [
    { properties: { a: "string" }, additionalProperties: false },
    { properties: { a: {} }, additionalProperties: false },
  ],
  [
    { patternProperties: { b: null }, additionalProperties: { type: "string" } },
    { patternProperties: { b: {} }, additionalProperties: { type: "string" } },
  ],
  [{ additionalProperties: "any", unevaluatedProperties: false }, {}],
  [{ not: { type: "int" } }, {}],
  [{ not: { type: ["int", "null"] } }, {}],
  [{ not: { minimum: "1" } }, {}],
  [{ not: { type: "string", title: 5 } }, { not: { type: "string" } }],
  [{ if: { required: "a" }, else: false }, {}],
  [{ if: { type: "int" }, else: false }, {}],
  [{ if: { type: "int" }, else: { properties: { a: true } }, unevaluatedProperties: false }, {}],
  [{ oneOf: [{ type: "int" }, { type: "null" }] }, {}],
  [{ oneOf: [{ type: "string" }, { type: null }] }, {}],
  [{ oneOf: ["a", { type: "number" }, { type: "integer" }] }, { not: { type: "integer" } }],
  [{ allOf: ["a"], unevaluatedProperties: false }, {}],
  [
    { prefixItems: [null, { type: "number" }], items: { type: "string" } },
    { prefixItems: [{}, { type: "number" }], items: { type: "string" } },
  ],
  [
    { properties: { a: "string" }, unevaluatedProperties: false },
    { properties: { a: {} }, unevaluatedProperties: false },
  ],
  [
    { prefixItems: [null], unevaluatedItems: false },
    { prefixItems: [{}], unevaluatedItems: false },
  ],
  // A list in `items` is a word of draft 7; beside `prefixItems` nobody knows what it says.
  [{ prefixItems: [{ type: "string" }], items: [{ type: "number" }] }, { prefixItems: [{ type: "string" }] }],
  [
    { prefixItems: [{ type: "string" }], items: [], unevaluatedItems: false },
    { prefixItems: [{ type: "string" }] },
  ],
  // What looks at no part of a value leaves the rest of them to be judged.
  ...[{ required: "a" }, { maxLength: -1 }, { enum: "a" }, { not: "a" }, { propertyNames: "a" }].map(
    (broken): [Schema, Schema] => [
      { allOf: [{ properties: { a: {} }, ...broken }], unevaluatedProperties: false },
      { properties: { a: {} }, additionalProperties: false },
    ],
  ),
  // What is said with `null` is not said, and definitions demand nothing.
  ...["required", "enum", "properties", "items", "not", "pattern", "minimum", "$ref", "allOf"].map(
    (keyword): [Schema, Schema] => [
      { not: { type: "string", [keyword]: null } },
      { not: { type: "string" } },
    ],
  ),
  ...[{ $defs: [] }, { definitions: "a" }].map((broken): [Schema, Schema] => [
    { not: { type: "string", ...broken } },
    { not: { type: "string" } },
  ]),
];
const VALUES = [
  ...[null, true, 0, 5, -2.5, "", "a", "abc", [], [1], [1, 1, "a"], ["a", "b"], {}],
  ...[{ a: 1 }, { a: "x", b: 2 }, { b: 1 }],
];

const root = (p: unknown) => ({ type: "object", properties: { p } });
const PROFILES: readonly SchemaProfile[] = ["openai", "anthropic", "gemini"];

describe("what no schema may say", () => {
  it.each(MALFORMED)("%s is left out and told", (_title, schema, expected) => {
    const { schema: fitted, changes } = fitSchema(root(schema), { profile: "anthropic" });
    expect(fitted).toEqual(root(expected));
    expect(changes.length).toBeGreaterThan(0);
    expect(changes.every(({ pointer }) => pointer.startsWith("/properties/p"))).toBe(true);
  });

  it.each(CERTAIN)("%j is judged by what is certain of it", (schema, certain) => {
    const validator = createSchemaValidator(root(schema));
    const isRight = judgeOf(root(certain));
    for (const p of VALUES) expect([p, validator.problems({ p }).length === 0]).toEqual([p, isRight({ p })]);
  });

  it.each(PROFILES)("for %s, what was valid stays valid", (profile) => {
    for (const [schema, certain] of CERTAIN) {
      const isRight = judgeOf(root(certain));
      const isRightFitted = judgeOf(fitSchema(root(schema), { profile }).schema);
      for (const p of VALUES.filter((value) => isRight({ p: value })))
        expect([schema, p, isRightFitted({ p })]).toEqual([schema, p, true]);
    }
  });

  it("notes beside a reference are looked at as well", () => {
    const schema = root({ $ref: "#/$defs/a", description: 5 });
    const { schema: fitted } = fitSchema(
      { ...schema, $defs: { a: { type: "string" } } },
      { profile: "openai" },
    );
    expect(fitted).toEqual(root({ type: "string" }));
  });

  it("a keyword that a server in this process left undefined is none", () => {
    const schema = { contains: undefined, required: undefined };
    expect(fitSchema(root(schema), { profile: "openai" }).changes).toEqual([]);
  });

  it("reads a long list once, however often it is inlined", () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `name${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/a" }]));
    const required = countedReads(names);
    const schema = { type: "object", properties, $defs: { a: { required: required.value } } };
    fitSchema(schema, { profile: "openai" });
    expect(required.reads()).toBe(1);
  });

  it("a name that is told twice weakens nothing", () => {
    const schema = root({ not: { required: ["a", "a"] } });
    expect(fitSchema(schema, { profile: "openai" }).schema).toEqual(root({ not: { required: ["a"] } }));
  });

  it.each<SchemaProfile>([...PROFILES, "none"])(
    "a root without a type or properties is completed for %s",
    (profile) => {
      const schema = { type: null, properties: null } as unknown;
      expect(fitSchema(schema, { profile }).schema).toEqual({ type: "object", properties: {} });
    },
  );
});
