import { isRecord } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { fitSchema } from "../../src/fitting/fit-schema.ts";
import type { SchemaProfile } from "../../src/fitting/schema-profile.ts";
import { createSchemaValidator } from "../../src/schema/schema-validator.ts";
import { hasSuite, SUITE_DIRECTORY, suiteGroups } from "../schema/json-schema-test-suite.ts";

const PROFILES: readonly SchemaProfile[] = ["openai", "anthropic", "gemini", "xai"];

if (!hasSuite) process.stdout.write(`SKIPPED: there is no JSON-Schema-Test-Suite in ${SUITE_DIRECTORY}.\n`);

describe.each(PROFILES)("fitting a schema for %s", (profile) => {
  it.skipIf(!hasSuite)(`keeps every valid instance of the suite in ${SUITE_DIRECTORY} valid`, () => {
    const refused: string[] = [];
    let compared = 0;
    for (const draft of ["draft7", "draft2020-12"] as const) {
      for (const { schema, tests, file, description } of suiteGroups(draft, { optional: true })) {
        const before = JSON.stringify(schema);
        const { schema: offered, isWrapped } = fitSchema(schema, { profile });
        expect(JSON.stringify(schema)).toBe(before);
        const original = createSchemaValidator(schema);
        const fitted = createSchemaValidator(offered);
        for (const { data, description: instance } of tests) {
          // The arguments of a tool are always an object; other values can be arguments only within a wrapper.
          if (original.problems(data).length > 0 || !(isWrapped || isRecord(data))) continue;
          compared += 1;
          const problems = fitted.problems(isWrapped ? { input: data } : data);
          if (problems.length > 0) refused.push(`${file}: ${description}: ${instance}`);
        }
      }
    }
    expect(refused).toEqual([]);
    expect(compared).toBeGreaterThan(500);
  });

  it("inlines a local reference with its sibling notes and removes a remote one", () => {
    const { schema, changes } = fitSchema(
      {
        type: "object",
        properties: {
          from: { $ref: "#/$defs/place", description: "Where it begins." },
          to: { $ref: "https://example.com/place.json" },
        },
        $defs: { place: { type: "string", title: "Place" } },
      },
      { profile },
    );
    expect(schema).toEqual({
      type: "object",
      properties: { from: { type: "string", title: "Place", description: "Where it begins." }, to: {} },
    });
    expect(changes.map(({ pointer, kind, keyword }) => [pointer, kind, keyword])).toEqual([
      ["", "rewritten", "$defs"],
      ["/properties/from", "inlined", "$ref"],
      ["/properties/to", "removed", "$ref"],
    ]);
  });

  it("wraps a root union in one property and unwraps it from the arguments", () => {
    const union = {
      type: "object",
      anyOf: [
        { properties: { id: { type: "string" } }, required: ["id"] },
        { properties: { name: { type: "string" } }, required: ["name"] },
      ],
    };
    const { schema, isWrapped, unwrap, changes } = fitSchema(union, { profile });
    expect(schema).toMatchObject({
      type: "object",
      properties: { input: { anyOf: union.anyOf } },
      required: ["input"],
    });
    expect(isWrapped).toBe(true);
    expect(unwrap({ input: { id: "a" } })).toEqual({ id: "a" });
    expect(unwrap({ id: "a" })).toEqual({ id: "a" });
    expect(changes).toContainEqual(expect.objectContaining({ kind: "wrapped", pointer: "" }));
  });

  it("gives the same bytes for the same schema", () => {
    const schema = {
      properties: { a: { $ref: "#/definitions/b" } },
      definitions: { b: { type: ["string", "null"] } },
    };
    const once = JSON.stringify(fitSchema(schema, { profile }));
    expect(JSON.stringify(fitSchema(structuredClone(schema), { profile }))).toBe(once);
  });

  it("[T64] replaces a schema nested too deeply by any object and reports it", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 5_000; level += 1) deep = { items: deep };
    const { schema, changes } = fitSchema({ type: "object", properties: { deep } }, { profile });
    expect(schema).toEqual({ type: "object", properties: {} });
    expect(changes).toHaveLength(1);
    expect(changes[0]?.message).toContain("too large");
  });

  it("bounds the size of unions that repeat what stands beside them", () => {
    const beside = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, { type: "string" }]));
    let union: Record<string, unknown> = { type: "object", properties: beside };
    for (let level = 0; level < 60; level += 1)
      union = {
        type: "object",
        properties: beside,
        anyOf: [union, { type: "object", properties: { [`q${level}`]: {} } }],
      };
    const root = { type: "object", properties: { u: union } };
    const grown = (given: SchemaProfile) => JSON.stringify(fitSchema(root, { profile: given }).schema).length;
    for (const each of [profile, "universal", "vertex", "strict"] as const)
      expect(grown(each)).toBeLessThan(400_000);
  });

  it("bounds the size of a schema whose references double", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => {
        const next = { $ref: `#/$defs/d${level + 1}` };
        return [`d${level}`, { type: "object", properties: { left: next, right: next } }];
      }),
    );
    const bomb = { type: "object", properties: { tree: { $ref: "#/$defs/d0" } }, $defs };
    expect(JSON.stringify(fitSchema(bomb, { profile }).schema).length).toBeLessThan(300_000);
  });
});

const TREE = {
  type: "object",
  properties: { root: { $ref: "#/$defs/node" } },
  $defs: {
    node: {
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
    },
  },
} as const;

describe("a recursive schema", () => {
  it("keeps its reference for OpenAI", () => {
    const { schema } = fitSchema(TREE, { profile: "openai" });
    const children = { type: "array", items: { $ref: "#/$defs/node" } };
    expect(schema.$defs).toEqual({
      node: { type: "object", properties: { name: { type: "string" }, children } },
    });
    expect(
      createSchemaValidator(schema).problems({ root: { children: [{ children: [{ name: 1 }] }] } }),
    ).toEqual([{ path: "/root/children/0/children/0/name", message: "must be of type string" }]);
  });

  it("is cut for Gemini, and the cut is reported", () => {
    const { schema, changes } = fitSchema(TREE, { profile: "gemini" });
    expect(schema).not.toHaveProperty("$defs");
    expect(JSON.stringify(schema)).not.toContain("$ref");
    expect(changes.filter(({ kind }) => kind === "removed")).toHaveLength(1);
  });
});

describe("under the profile none", () => {
  it("the model sees the server's own schema object", () => {
    const schema = Object.freeze({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { path: { $ref: "#/$defs/path" } },
      $defs: { path: { type: "string" } },
      "x-vendor": 1,
    });
    expect(fitSchema(schema, { profile: "none" })).toMatchObject({ changes: [], isWrapped: false });
    expect(fitSchema(schema, { profile: "none" }).schema).toBe(schema);
  });

  it("[T43] missing properties are added to a copy of the schema", () => {
    const schema = Object.freeze({ type: "object", additionalProperties: true });
    const { schema: shown, changes } = fitSchema(schema, { profile: "none" });
    expect(shown).toEqual({ type: "object", additionalProperties: true, properties: {} });
    expect(changes).toMatchObject([{ kind: "added", keyword: "properties", pointer: "" }]);
    expect(schema).toEqual({ type: "object", additionalProperties: true });
  });

  it("an empty properties array, as PHP writes it, is reported as added properties", () => {
    expect(fitSchema({ type: "object", properties: [] }, { profile: "none" }).changes).toMatchObject([
      { kind: "added", keyword: "properties", pointer: "" },
    ]);
  });

  it("[T44] an open schema gets no additionalProperties", () => {
    expect(fitSchema({ type: "object" }, { profile: "none" }).schema).not.toHaveProperty(
      "additionalProperties",
    );
  });

  it.each([
    [{}, { type: "object", properties: {} }],
    [
      { properties: { a: true }, required: ["a"] },
      { type: "object", properties: { a: true }, required: ["a"] },
    ],
    [
      { type: ["object", "null"], properties: {} },
      { type: "object", properties: {} },
    ],
    [
      { type: "object", properties: [] },
      { type: "object", properties: {} },
    ],
    [true, { type: "object", properties: {} }],
    [[], { type: "object", properties: {} }],
    [undefined, { type: "object", properties: {} }],
  ])("the root becomes an object for %j", (schema, expected) => {
    expect(fitSchema(schema, { profile: "none" }).schema).toEqual(expected);
  });
});

it.each(["zz", "toString", null])("the unknown profile %j is refused", (profile) => {
  const refusal = expect.objectContaining({ code: "MCP_CONFIG_INVALID" });
  for (const schema of [{ type: "object" }, "no schema"])
    expect(() => fitSchema(schema, { profile: profile as SchemaProfile })).toThrow(refusal);
});
