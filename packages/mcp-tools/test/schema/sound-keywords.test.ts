import { describe, expect, it } from "vitest";
import { fitSchema } from "../../src/fitting/fit-schema.ts";
import type { SchemaProfile } from "../../src/fitting/schema-profile.ts";
import { createSchemaValidator } from "../../src/schema/schema-validator.ts";
import { countedReads } from "../counted-reads.ts";
import { judgeOf } from "./ajv.ts";

type Schema = Record<string, unknown>;

const MALFORMED: readonly (readonly [title: string, schema: Schema, expected: Schema])[] = [
  ["an unknown type", { type: "int", title: "T" }, { title: "T" }],
  ["a duplicate type", { type: ["string", "string"] }, { type: ["string"] }],
  ["a type array with an unknown type", { type: ["string", "any", "string"] }, {}],
  ["a type array of unknown types", { type: ["int", null] }, {}],
  ["a boolean as required", { type: "string", required: true }, { type: "string" }],
  ["a duplicate required name", { required: ["a", "a"] }, { required: ["a"] }],
  ["a number as a required name", { required: ["a", 5] }, { required: ["a"] }],
  [
    "a string in dependentRequired",
    { dependentRequired: { a: "b", c: ["d", "d"] } },
    { dependentRequired: { c: ["d"] } },
  ],
  ["null as items", { type: "string", items: null }, { type: "string" }],
  ["an empty items array", { items: [] }, {}],
  ["a properties array", { properties: [] }, {}],
  ["a string as a property schema", { properties: { a: "string" } }, { properties: { a: {} } }],
  ["a string as additionalProperties", { additionalProperties: "string" }, {}],
  ["a string as minimum", { type: "number", minimum: "1" }, { type: "number" }],
  ["a negative maxLength", { type: "string", maxLength: -1 }, { type: "string" }],
  ["a fractional minLength", { minLength: 1.5 }, {}],
  ["a fractional maxItems", { maxItems: 1.5 }, {}],
  ["a negative maxProperties", { maxProperties: -1 }, {}],
  ["zero as multipleOf", { multipleOf: 0 }, {}],
  ["a string as enum", { enum: "a" }, {}],
  ["a number as description", { description: 5, type: "string" }, { type: "string" }],
  ["an anyOf that is not an array", { anyOf: { type: "string" } }, {}],
  ["a string as an alternative", { anyOf: ["a", { type: "string" }] }, { anyOf: [{}, { type: "string" }] }],
  ["an array as a dependent schema", { dependentSchemas: { a: ["b"] } }, { dependentSchemas: { a: {} } }],
  ["a string as examples", { type: "string", examples: "a" }, { type: "string" }],
  ["a string as contentSchema", { type: "string", contentSchema: "a" }, { type: "string" }],
  ["an empty allOf", { allOf: [] }, {}],
  ["an empty anyOf", { anyOf: [] }, {}],
  ["an empty oneOf", { oneOf: [] }, {}],
  ["a number as a reference", { $ref: 5 }, {}],
  ["an object as an id", { $id: {} }, {}],
  ["an object as a comment", { $comment: {} }, {}],
  ["a number as pattern", { pattern: 5 }, {}],
  ["a string as a flag", { uniqueItems: "true", readOnly: "no" }, {}],
  ["a string as dependencies", { dependencies: "a" }, {}],
];

/** Schemas, and the part of each that holds whatever the server makes of the rest. */
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
  // An `items` array belongs to draft 7; beside `prefixItems` its meaning is unknown.
  [{ prefixItems: [{ type: "string" }], items: [{ type: "number" }] }, { prefixItems: [{ type: "string" }] }],
  [
    { prefixItems: [{ type: "string" }], items: [], unevaluatedItems: false },
    { prefixItems: [{ type: "string" }] },
  ],
  // A broken keyword that evaluates no member leaves the members to be judged.
  ...[{ required: "a" }, { maxLength: -1 }, { enum: "a" }, { not: "a" }, { propertyNames: "a" }].map(
    (broken): [Schema, Schema] => [
      { allOf: [{ properties: { a: {} }, ...broken }], unevaluatedProperties: false },
      { properties: { a: {} }, additionalProperties: false },
    ],
  ),
  // A keyword set to `null` counts as absent, and definitions demand nothing.
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

describe("a malformed keyword", () => {
  it.each(MALFORMED)("%s is left out and reported", (_title, schema, expected) => {
    const { schema: fitted, changes } = fitSchema(root(schema), { profile: "anthropic" });
    expect(fitted).toEqual(root(expected));
    expect(changes.length).toBeGreaterThan(0);
    expect(changes.every(({ pointer }) => pointer.startsWith("/properties/p"))).toBe(true);
  });

  it.each(CERTAIN)("%j is judged only by its well-formed part", (schema, certain) => {
    const validator = createSchemaValidator(root(schema));
    const isRight = judgeOf(root(certain));
    for (const p of VALUES) expect([p, validator.problems({ p }).length === 0]).toEqual([p, isRight({ p })]);
  });

  it.each(PROFILES)("fitting for %s keeps valid values valid", (profile) => {
    for (const [schema, certain] of CERTAIN) {
      const isRight = judgeOf(root(certain));
      const isRightFitted = judgeOf(fitSchema(root(schema), { profile }).schema);
      for (const p of VALUES.filter((value) => isRight({ p: value })))
        expect([schema, p, isRightFitted({ p })]).toEqual([schema, p, true]);
    }
  });

  it("a malformed note beside a reference is left out", () => {
    const schema = root({ $ref: "#/$defs/a", description: 5 });
    const { schema: fitted } = fitSchema(
      { ...schema, $defs: { a: { type: "string" } } },
      { profile: "openai" },
    );
    expect(fitted).toEqual(root({ type: "string" }));
  });

  it("a keyword set to undefined counts as absent", () => {
    const schema = { contains: undefined, required: undefined };
    expect(fitSchema(root(schema), { profile: "openai" }).changes).toEqual([]);
  });

  it("a long required list is not read for each place, however often it is inlined", () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `name${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/a" }]));
    const required = countedReads(names);
    const schema = { type: "object", properties, $defs: { a: { required: required.value } } };
    fitSchema(schema, { profile: "openai" });
    // Once to fit it, once to see that its names are well-formed.
    expect(required.reads()).toBeLessThan(3);
  });

  it("a duplicate required name inside a `not` is dropped without weakening it", () => {
    const schema = root({ not: { required: ["a", "a"] } });
    expect(fitSchema(schema, { profile: "openai" }).schema).toEqual(root({ not: { required: ["a"] } }));
  });

  it.each<SchemaProfile>([...PROFILES, "none"])(
    "a root with null type and properties is completed for %s",
    (profile) => {
      const schema = { type: null, properties: null } as unknown;
      expect(fitSchema(schema, { profile }).schema).toEqual({ type: "object", properties: {} });
    },
  );
});
