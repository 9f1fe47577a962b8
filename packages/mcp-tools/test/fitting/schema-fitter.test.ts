import { describe, expect, it } from "vitest";
import { fitSchema } from "../../src/fitting/fit-schema.ts";
import type { SchemaProfile } from "../../src/fitting/schema-profile.ts";

describe("what a provider does not take", () => {
  const property = (schema: Record<string, unknown>, profile: SchemaProfile) => {
    const { schema: fitted } = fitSchema({ type: "object", properties: { p: schema } }, { profile });
    return fitted.properties?.p;
  };

  it.each<[string, SchemaProfile, Record<string, unknown>, unknown]>([
    ["a list without items", "openai", { type: "array" }, { type: "array", items: {} }],
    ["a pattern that looks around", "openai", { type: "string", pattern: "^(?!a)" }, { type: "string" }],
    [
      "draft 7's list of items",
      "anthropic",
      { items: [{ type: "string" }], additionalItems: false },
      { prefixItems: [{ type: "string" }], items: false },
    ],
    [
      "draft 7's dependencies",
      "anthropic",
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    ],
    [
      "a schema of what a text holds",
      "anthropic",
      { contentMediaType: "application/json", contentSchema: { $ref: "#/$defs/query" } },
      { contentMediaType: "application/json" },
    ],
    ["draft 4's flags", "anthropic", { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    [
      "two types",
      "gemini",
      { type: ["string", "null"], description: "D.", minLength: 1 },
      {
        description: "D.",
        anyOf: [{ minLength: 1, type: "string" }, { type: "null" }],
      },
    ],
    [
      "a list or nothing",
      "gemini",
      { type: ["array", "null"], uniqueItems: true },
      { anyOf: [{ type: "array", items: {} }, { type: "null" }] },
    ],
    [
      "items after the first ones, or a text of an unknown format",
      "gemini",
      {
        type: ["array", "string"],
        prefixItems: [{}],
        items: { type: "string" },
        format: "email",
        maxItems: 3,
      },
      { anyOf: [{ type: "array", maxItems: 3, items: {} }, { type: "string" }] },
    ],
    [
      "an object or nothing",
      "gemini",
      { type: ["object", "null"], properties: { a: {} }, required: ["a"] },
      { anyOf: [{ type: "object", properties: { a: {} }, required: ["a"] }, { type: "null" }] },
    ],
    [
      "a list without items or nothing",
      "openai",
      { type: ["array", "null"] },
      { type: ["array", "null"], items: {} },
    ],
    [
      "a name that is required and not declared",
      "gemini",
      { type: "object", properties: { a: { required: ["c"] } }, required: ["a", "b"] },
      { type: "object", properties: { a: {} }, required: ["a"] },
    ],
    [
      "alternatives that only require",
      "gemini",
      { type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { type: "object", properties: { a: {} } },
    ],
    [
      "a text of no length in an enum",
      "gemini",
      { enum: ["a", ""] },
      { type: "string", description: 'One of: "a","".' },
    ],
    [
      "texts in an enum of numbers",
      "gemini",
      { type: "integer", enum: ["1"] },
      { type: "integer", description: 'One of: "1".' },
    ],
    ["an enum of nothing", "gemini", { type: "string", enum: [] }, { type: "string" }],
    ["no types", "gemini", { type: [], title: "T" }, { title: "T" }],
    ["no alternatives", "openai", { anyOf: [], title: "T" }, { title: "T" }],
    [
      "patterns of names that look around",
      "openai",
      { patternProperties: { "^(?!x)": {}, "^y": {} }, additionalProperties: false },
      { patternProperties: { "^y": {} } },
    ],
    ["const", "gemini", { const: "a" }, { enum: ["a"], type: "string" }],
    [
      "numbers in an enum",
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
      "other keywords",
      "gemini",
      { type: "object", additionalProperties: false, patternProperties: { a: {} }, properties: {} },
      { type: "object", properties: {} },
    ],
    ["an unknown format", "gemini", { type: "string", format: "email" }, { type: "string" }],
  ])("%s is said otherwise for %s", (_title, profile, schema, expected) => {
    expect(property(schema, profile)).toEqual(expected);
  });

  it.each<SchemaProfile>(["openai", "anthropic", "gemini"])(
    "a schema of what a text holds is named among the changes for %s",
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

  it("keeps what excludes a text with a schema of what it holds, because that demands nothing", () => {
    const not = { type: "string", contentSchema: { type: "int" } };
    expect(property({ not }, "openai")).toEqual({ not: { type: "string" } });
  });

  it.each(["not", "if"])("takes `%s` with it, which would else demand more", (keyword) => {
    const weakened = { $ref: "https://example.com/elsewhere" };
    const schema = { [keyword]: weakened, else: { minimum: 2 }, type: "number" };
    expect(property(schema, "openai")).toEqual({ type: "number" });
  });

  it("keeps a name that a reference requires and what stands beside it declares", () => {
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
    "demands nothing of draft 7's schemas that it does not know, for %s",
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

  it("a property whose name is not taken may still be given", () => {
    const root = { type: "object", properties: { "a b": {}, c: {} }, additionalProperties: false };
    const { schema, changes } = fitSchema(root, { profile: "anthropic" });
    expect(schema).toEqual({ type: "object", properties: { c: {} } });
    expect(changes.map(({ pointer }) => pointer)).toEqual(["/properties/a b", ""]);
  });
});
