import { describe, expect, it } from "vitest";
import { fitSchema } from "../../src/fitting/fit-schema.ts";
import type { SchemaProfile } from "../../src/fitting/schema-profile.ts";

describe("fitting a property for a provider", () => {
  const property = (schema: Record<string, unknown>, profile: SchemaProfile) => {
    const { schema: fitted } = fitSchema({ type: "object", properties: { p: schema } }, { profile });
    return fitted.properties?.p;
  };

  it.each<[string, SchemaProfile, Record<string, unknown>, unknown]>([
    ["an array without items", "openai", { type: "array" }, { type: "array", items: {} }],
    ["a pattern with a lookaround", "openai", { type: "string", pattern: "^(?!a)" }, { type: "string" }],
    [
      "a draft-07 items array",
      "anthropic",
      { items: [{ type: "string" }], additionalItems: false },
      { prefixItems: [{ type: "string" }], items: false },
    ],
    [
      "a draft-07 dependencies",
      "anthropic",
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    ],
    [
      "contentSchema",
      "anthropic",
      { contentMediaType: "application/json", contentSchema: { $ref: "#/$defs/query" } },
      { contentMediaType: "application/json" },
    ],
    [
      "a draft-04 exclusiveMinimum",
      "anthropic",
      { minimum: 1, exclusiveMinimum: true },
      { exclusiveMinimum: 1 },
    ],
    [
      "a type array",
      "gemini",
      { type: ["string", "null"], description: "D.", minLength: 1 },
      {
        description: "D.",
        anyOf: [{ minLength: 1, type: "string" }, { type: "null" }],
      },
    ],
    [
      "a nullable array",
      "gemini",
      { type: ["array", "null"], uniqueItems: true },
      { anyOf: [{ type: "array", description: "No item twice.", items: {} }, { type: "null" }] },
    ],
    [
      "prefixItems or a string of an unknown format",
      "gemini",
      {
        type: ["array", "string"],
        prefixItems: [{}],
        items: { type: "string" },
        format: "email",
        maxItems: 3,
      },
      {
        anyOf: [
          { type: "array", maxItems: 3, items: {} },
          { type: "string", description: "Format: email." },
        ],
      },
    ],
    [
      "a nullable object",
      "gemini",
      { type: ["object", "null"], properties: { a: {} }, required: ["a"] },
      { anyOf: [{ type: "object", properties: { a: {} }, required: ["a"] }, { type: "null" }] },
    ],
    [
      "a nullable array without items",
      "openai",
      { type: ["array", "null"] },
      { type: ["array", "null"], items: {} },
    ],
    [
      "a required name that is not declared",
      "gemini",
      { type: "object", properties: { a: { required: ["c"] } }, required: ["a", "b"] },
      { type: "object", properties: { a: {} }, required: ["a"] },
    ],
    [
      "an anyOf of required lists",
      "gemini",
      { type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { type: "object", properties: { a: {} } },
    ],
    [
      "an empty string in an enum",
      "gemini",
      { enum: ["a", ""] },
      { type: "string", description: 'One of: "a","".' },
    ],
    [
      "strings in an integer enum",
      "gemini",
      { type: "integer", enum: ["1"] },
      { type: "integer", description: 'One of: "1".' },
    ],
    ["an empty enum", "gemini", { type: "string", enum: [] }, { type: "string" }],
    ["an empty type array", "gemini", { type: [], title: "T" }, { title: "T" }],
    ["an empty anyOf", "openai", { anyOf: [], title: "T" }, { title: "T" }],
    [
      "a patternProperties key with a lookaround",
      "openai",
      { patternProperties: { "^(?!x)": {}, "^y": {} }, additionalProperties: false },
      { patternProperties: { "^y": {} } },
    ],
    ["const", "gemini", { const: "a" }, { enum: ["a"], type: "string" }],
    [
      "an enum of numbers",
      "gemini",
      { type: "integer", enum: [1, 2] },
      { type: "integer", description: "One of: 1,2." },
    ],
    [
      "allOf",
      "gemini",
      {
        allOf: [
          { type: "object", properties: { a: {} } },
          { properties: { b: {} }, required: ["b"] },
        ],
      },
      { type: "object", properties: { a: {}, b: {} }, required: ["b"] },
    ],
    [
      "oneOf",
      "gemini",
      { oneOf: [{ type: "string" }, { type: "number" }] },
      { anyOf: [{ type: "string" }, { type: "number" }] },
    ],
    [
      "a closed object with patternProperties",
      "gemini",
      { type: "object", additionalProperties: false, patternProperties: { a: {} }, properties: {} },
      { type: "object" },
    ],
    [
      "an unknown format",
      "gemini",
      { type: "string", format: "email", description: "To." },
      { type: "string", description: "To. Format: email." },
    ],
    [
      "an exclusive bound of whole numbers",
      "gemini",
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 },
      { type: "integer", minimum: 1, maximum: 9 },
    ],
    [
      "other exclusive bounds",
      "gemini",
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
      { type: "number", description: "More than 0. Less than 1. A multiple of 0.1." },
    ],
    ["propertyNames", "openai", { type: "object", propertyNames: { type: "number" } }, { type: "object" }],
  ])("%s is rewritten for %s", (_title, profile, schema, expected) => {
    expect(property(schema, profile)).toEqual(expected);
  });

  it.each<SchemaProfile>(["openai", "anthropic", "gemini"])(
    "contentSchema is reported as rewritten for %s",
    (profile) => {
      const p = { type: "string", contentSchema: { type: "int", properties: [] } };
      expect(fitSchema({ type: "object", properties: { p } }, { profile }).changes).toEqual([
        {
          pointer: "/properties/p",
          kind: "rewritten",
          keyword: "contentSchema",
          message: "`contentSchema` names or holds schemas, and has no effect by itself.",
        },
      ]);
    },
  );

  it("keeps a `not` whose contentSchema is dropped", () => {
    const not = { type: "string", contentSchema: { type: "int" } };
    expect(property({ not }, "openai")).toEqual({ not: { type: "string" } });
  });

  it.each(["not", "if"])("drops `%s` when its schema is weakened", (keyword) => {
    const weakened = { $ref: "https://example.com/elsewhere" };
    const schema = { [keyword]: weakened, else: { minimum: 2 }, type: "number" };
    expect(property(schema, "openai")).toEqual({ type: "number" });
  });

  it("keeps a name that a reference requires and its sibling properties declare", () => {
    const schema = {
      type: "object",
      properties: { p: { $ref: "#/$defs/named", properties: { name: { type: "string" } } } },
      $defs: { named: { type: "object", required: ["name"] } },
    };
    expect(fitSchema(schema, { profile: "gemini" }).schema.properties).toEqual({
      p: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
  });

  it.each<SchemaProfile>(["openai", "anthropic", "gemini"])(
    "drops keywords newer than draft-07 from a draft-07 schema for %s",
    (profile) => {
      const schema = {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { p: { type: "array", prefixItems: [{ type: "string" }], items: {} } },
        dependentRequired: { p: ["q"] },
        unevaluatedProperties: false,
      };
      const { schema: fitted, changes } = fitSchema(schema, { profile });
      expect(fitted).toEqual({ type: "object", properties: { p: { type: "array", items: {} } } });
      expect(changes.map(({ keyword }) => keyword)).toEqual(
        expect.arrayContaining(["dependentRequired", "prefixItems", "unevaluatedProperties"]),
      );
    },
  );

  it("shows a property under a name that is supported, reports it, and gives the name back", () => {
    const root = {
      type: "object",
      properties: { "filter[name]": { type: "string" }, filter_name: {}, $top: { type: "integer" }, "": {} },
      required: ["filter[name]"],
      additionalProperties: false,
    };
    const { schema, changes, unwrap } = fitSchema(root, { profile: "anthropic" });
    expect(schema).toEqual({
      type: "object",
      properties: {
        filter_name_2: { type: "string" },
        filter_name: {},
        top: { type: "integer" },
        argument: {},
      },
      required: ["filter_name_2"],
      additionalProperties: false,
    });
    expect(changes.map(({ pointer }) => pointer)).toEqual([
      "/properties/filter[name]",
      "/properties/$top",
      "/properties/",
    ]);
    expect(unwrap({ filter_name_2: "a", filter_name: "b", top: 5, argument: 1, other: 1 })).toEqual({
      "filter[name]": "a",
      filter_name: "b",
      $top: 5,
      "": 1,
      other: 1,
    });
  });
});
