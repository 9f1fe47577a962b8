import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { refusals } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitSchema } from "../../src/fitting/fit-schema.ts";
import type { SchemaProfile } from "../../src/fitting/schema-profile.ts";

const root = (properties: object, rest: object = {}) => ({ type: "object", properties, ...rest });
const property = (schema: object, profile?: SchemaProfile) =>
  fitSchema(root({ p: schema }), profile === undefined ? {} : { profile }).schema.properties?.p;

describe("the default profile", () => {
  it.each<[string, object, unknown]>([
    [
      "moves what stands beside a union into it",
      { anyOf: [{ type: "string" }, { type: "null" }], description: "D.", default: null },
      {
        anyOf: [
          { type: "string", description: "D." },
          { type: "null", default: null },
        ],
      },
    ],
    [
      "repeats demands beside a union in each alternative",
      {
        type: "object",
        properties: { a: { type: "string" } },
        anyOf: [{ properties: { b: { type: "string" } } }, { required: ["a"] }],
      },
      {
        anyOf: [
          { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        ],
      },
    ],
    [
      "says in words which of several names are needed",
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        description: "Needs one of: a; b.",
      },
    ],
    [
      "gives a schema the type that its keywords are about",
      { properties: { a: { type: "string" } } },
      { type: "object", properties: { a: { type: "string" } } },
    ],
    [
      "keeps a map's values",
      { type: "object", additionalProperties: { type: "string" } },
      { type: "object", additionalProperties: { type: "string" } },
    ],
    [
      "keeps a closed object",
      root({ a: { type: "string" } }, { additionalProperties: false }),
      root({ a: { type: "string" } }, { additionalProperties: false }),
    ],
    [
      "removes propertyNames and lookaround",
      { type: "object", propertyNames: { pattern: "^a" } },
      { type: "object" },
    ],
    [
      "makes one of several",
      { oneOf: [{ const: "a" }, { const: "b" }] },
      {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "string", enum: ["b"] },
        ],
      },
    ],
  ])("%s", (_title, schema, expected) => {
    expect(property(schema)).toEqual(expected);
  });

  it("gives a schema that says nothing every type", () => {
    const any = property({ description: "Any." }) as unknown as { anyOf: readonly JsonObject[] };
    expect(any.anyOf.map(({ type }) => type)).toEqual(["string", "number", "boolean", "object", "array"]);
    expect(any.anyOf[0]).toEqual({ type: "string", description: "Any." });
  });

  it("replaces half a character, also in a name, which is given back", () => {
    const half = "cut \ud83d";
    const { schema, unwrap } = fitSchema(
      root({ [half]: { type: "string", description: half } }, { required: [half] }),
    );
    expect(JSON.stringify(schema)).not.toMatch(/\\ud83d/i);
    expect(schema).toMatchObject({ properties: { cut: { description: "cut \ufffd" } }, required: ["cut"] });
    expect(unwrap({ cut: "a" })).toEqual({ [half]: "a" });
    const shown = fitSchema(root({ [half]: { type: "string", title: half } }), { profile: "none" });
    expect(JSON.stringify(shown.schema)).not.toMatch(/\\ud83d/i);
    expect(shown.unwrap({ cut: "a" })).toEqual({ [half]: "a" });
  });

  it("gives names back at every depth, and leaves data alone", () => {
    const inner = root({ "a[b]": { type: "string" } }, { required: ["a[b]"] });
    const { schema, unwrap } = fitSchema(
      root({
        list: { type: "array", items: inner },
        map: { type: "object", additionalProperties: inner },
        union: { anyOf: [{ type: "array", items: inner }, inner] },
        free: { type: "object", additionalProperties: true },
        a_b: { type: "string" },
      }),
    );
    expect(refusals(schema)).toEqual([]);
    const shown = { a_b_2: "x" };
    const own = { "a[b]": "x" };
    expect(
      unwrap({ list: [shown], map: { k: shown }, union: [shown], free: { a_b_2: 1 }, a_b: "y" }),
    ).toEqual({
      list: [own],
      map: { k: own },
      union: [own],
      free: { a_b_2: 1 },
      a_b: "y",
    });
    expect(unwrap({ union: shown })).toEqual({ union: own });
  });

  it("a wrapped root gives names back, with and without the wrapper", () => {
    const { isWrapped, unwrap } = fitSchema({
      type: "object",
      anyOf: [
        root({ $id: { type: "string" } }, { required: ["$id"] }),
        root({ name: { type: "string" } }, { required: ["name"] }),
      ],
    });
    expect(isWrapped).toBe(true);
    expect(unwrap({ input: { id: "a" } })).toEqual({ $id: "a" });
    expect(unwrap({ id: "a" })).toEqual({ $id: "a" });
  });

  it("is made once for a schema object", () => {
    const schema = root({ a: { type: "string", format: "uri" } });
    expect(fitSchema(schema)).toBe(fitSchema(schema, { profile: "auto" }));
  });

  it("a caller's own list of keywords is all that is shown", () => {
    const profile = { keywords: ["type", "properties", "required", "items", "description"] };
    const { schema } = fitSchema(
      root({ a: { type: "string", minLength: 1, enum: ["x"], description: "A." } }),
      { profile },
    );
    expect(schema).toEqual(root({ a: { type: "string", description: "A." } }));
  });
});

describe("the profile strict", () => {
  const SEARCH = root(
    {
      q: { type: "string", default: "x" },
      limit: { type: "integer", minimum: 1 },
      sort: { enum: ["up", "down"] },
      tags: { type: "array", items: { type: "string" } },
      filter: root({ "by[name]": { type: "string" } }),
      extra: { type: "object", additionalProperties: true },
      any: {},
      maybe: { type: ["string", "null"] },
    },
    { required: ["q"] },
  );

  it("closes every object and requires every property, and takes out what null stands for", () => {
    const { schema, unwrap } = fitSchema(SEARCH, { profile: "strict" });
    expect(notStrict(schema)).toEqual([]);
    expect(
      unwrap({
        q: "a",
        limit: null,
        sort: null,
        tags: ["t"],
        filter: { by_name: "n" },
        extra: '{"a":{"b":1}}',
        any: "[1]",
        maybe: null,
      }),
    ).toEqual({
      q: "a",
      tags: ["t"],
      filter: { "by[name]": "n" },
      extra: { a: { b: 1 } },
      any: [1],
      maybe: null,
    });
    expect(unwrap({ q: "a", any: "plain", extra: null })).toEqual({ q: "a", any: "plain" });
  });

  it("keeps recursion", () => {
    const node = root({
      name: { type: "string" },
      children: { type: "array", items: { $ref: "#/$defs/node" } },
    });
    const { schema, unwrap } = fitSchema(root({ tree: { $ref: "#/$defs/node" } }, { $defs: { node } }), {
      profile: "strict",
    });
    expect(notStrict(schema)).toEqual([]);
    expect(unwrap({ tree: { name: null, children: [{ name: "a", children: null }] } })).toEqual({
      tree: { children: [{ name: "a" }] },
    });
  });
});

/** What OpenAI's strict tools refuse: https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas". */
function notStrict(schema: unknown, path = ""): readonly string[] {
  if (!isRecord(schema)) return [`${path}: not a schema`];
  const { properties, required, additionalProperties, items, anyOf, $defs, type, $ref } = schema;
  const found: string[] = [];
  for (const keyword of [
    "allOf",
    "oneOf",
    "not",
    "if",
    "default",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
  ])
    if (schema[keyword] !== undefined) found.push(`${path}: ${keyword}`);
  if (type === undefined && anyOf === undefined && $ref === undefined) found.push(`${path}: no type`);
  if ([type].flat().includes("object")) {
    if (additionalProperties !== false) found.push(`${path}: open`);
    const names = Object.keys(isRecord(properties) ? properties : {});
    if (JSON.stringify([...names].sort()) !== JSON.stringify([...((required as string[]) ?? [])].sort()))
      found.push(`${path}: optional`);
  }
  const parts = [
    ...Object.entries(isRecord(properties) ? properties : {}),
    ...Object.entries(isRecord($defs) ? $defs : {}),
    ...(items === undefined ? [] : [["items", items] as const]),
    ...(Array.isArray(anyOf) ? anyOf.map((part, index) => [`anyOf/${index}`, part] as const) : []),
  ];
  return [...found, ...parts.flatMap(([name, part]) => notStrict(part, `${path}/${name}`))];
}

describe("whatever a server writes as a schema", () => {
  const name = fc.oneof(
    fc.constantFrom("a", "b", "filter[x]", "$top", "", "cut \ud83d", "input"),
    fc.string({ maxLength: 70 }),
  );
  const type = fc.constantFrom(
    "string",
    "number",
    "integer",
    "boolean",
    "object",
    "array",
    "null",
    "any",
    "int",
  );
  const odd = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.array(fc.string(), { maxLength: 2 }),
  );
  const { schema } = fc.letrec<{ schema: unknown; map: unknown }>((tie) => ({
    map: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(odd, fc.record({ type })),
      fc.record(
        {
          type: fc.oneof(type, fc.array(type, { maxLength: 3 }), odd),
          properties: fc.oneof({ weight: 4, arbitrary: tie("map") }, odd),
          required: fc.oneof({ weight: 3, arbitrary: fc.array(name, { maxLength: 3 }) }, odd),
          items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
          additionalProperties: tie("schema"),
          patternProperties: fc.dictionary(fc.constantFrom("^a", "^(?!b)"), tie("schema"), { maxKeys: 2 }),
          propertyNames: tie("schema"),
          anyOf: fc.array(tie("schema"), { maxLength: 3 }),
          oneOf: fc.array(tie("schema"), { maxLength: 3 }),
          allOf: fc.array(tie("schema"), { maxLength: 3 }),
          not: tie("schema"),
          if: tie("schema"),
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
          then: tie("schema"),
          enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 3 }),
          const: fc.jsonValue({ maxDepth: 1 }),
          default: fc.jsonValue({ maxDepth: 1 }),
          format: fc.constantFrom("email", "date-time", "int32", "uuid"),
          pattern: fc.constantFrom("^a", "(?=b)", "("),
          minimum: fc.integer(),
          exclusiveMinimum: fc.oneof(fc.integer(), fc.boolean()),
          uniqueItems: fc.boolean(),
          description: fc.oneof(fc.string({ unit: "binary" }), odd),
          $ref: fc.constantFrom("#", "#/$defs/d", "#/properties/a", "https://example.com/x"),
          $defs: fc.record({ d: tie("schema") }),
        },
        { requiredKeys: [] },
      ),
    ),
  }));

  it("no API refuses what is shown under the default profile, and strict is strict", () => {
    fc.assert(
      fc.property(schema, (given) => {
        const { schema: shown } = fitSchema(given);
        expect(refusals(shown)).toEqual([]);
        expect(JSON.stringify(shown)).not.toMatch(/\\ud[89a-f][0-9a-f]{2}/i);
        expect(notStrict(fitSchema(given, { profile: "strict" }).schema)).toEqual([]);
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 100) },
    );
  });
});
