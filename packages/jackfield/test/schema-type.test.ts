import { describe, expect, it } from "vitest";
import { remark, schemaType } from "../src/command-line/schema-type.ts";

/** The type on one line. */
const typeOf = (schema: unknown) => schemaType(schema).replace(/\s+/g, " ");

describe("the TypeScript type of a JSON Schema", () => {
  it.each<[unknown, string]>([
    [{ type: "string" }, "string"],
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
    [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
    [{ const: "a" }, '"a"'],
    [{ enum: [{ a: 1 }] }, "unknown"],
    [true, "unknown"],
    [{}, "unknown"],
    [false, "never"],
    [{ type: "array", items: { type: "string" } }, "string[]"],
    [{ type: "array", items: { type: ["string", "number"] } }, "(string | number)[]"],
    [{ type: "array" }, "unknown[]"],
    [{ type: "array", prefixItems: [{ type: "string" }], items: false }, "[string?]"],
    [{ type: "array", prefixItems: [{ type: "string" }] }, "[string?, ...unknown[]]"],
    [{ type: "object" }, "{ [name: string]: unknown }"],
    [{ type: "object", additionalProperties: { type: "number" } }, "{ [name: string]: number }"],
    [{ type: "object", additionalProperties: false }, "Record<string, never>"],
    [
      { properties: { a: { type: "string" }, "b-c": {} }, required: ["a"] },
      '{ "a": string; "b-c"?: unknown; }',
    ],
    [
      { properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
      '{ "a"?: string; [name: string]: unknown; }',
    ],
    [
      { type: "object", patternProperties: { "^x": { type: "string" } }, additionalProperties: false },
      "{ [name: string]: unknown }",
    ],
    [
      {
        patternProperties: { "^x": { type: "number" } },
        type: "object",
        additionalProperties: { type: "string" },
      },
      "{ [name: string]: unknown }",
    ],
    [
      { properties: { a: { type: "string" } }, patternProperties: { "^x": {} }, additionalProperties: false },
      '{ "a"?: string; [name: string]: unknown; }',
    ],
    [{ type: "object", patternProperties: {}, additionalProperties: false }, "Record<string, never>"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "string | number"],
    [{ oneOf: [{ type: "string" }, {}] }, "unknown"],
    [
      { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },
      '{ "a"?: unknown; } & { "b"?: unknown; }',
    ],
    [{ $ref: "#/$defs/name", $defs: { name: { type: "string" } } }, "string"],
    [{ $ref: "https://example.com/schema.json" }, "unknown"],
    [{ $ref: "#/nowhere" }, "unknown"],
    [{ type: "nonsense" }, "unknown"],
    [{ type: "string", pattern: "^a", minLength: 3 }, "string"],
  ])("for %j is %s", (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  it("expands a recursive schema once, and is unknown from there", () => {
    const tree = { properties: { child: { $ref: "#" } } };
    expect(typeOf(tree)).toBe('{ "child"?: { "child"?: unknown; }; }');
  });

  it("stays finite for very deep or wide schemas", () => {
    let deep: object = {};
    for (let level = 0; level < 5_000; level += 1) deep = { type: "array", items: deep };
    expect(schemaType(deep)).toMatch(/^unknown(\[\])+$/);
    const wide = Array.from({ length: 50 }, () => ({ $ref: "#/$defs/next" }));
    const $defs = {
      next: { allOf: Array.from({ length: 50 }, (_, index) => ({ allOf: [{ $ref: `#/$defs/${index}` }] })) },
    };
    const levels = Object.fromEntries(
      wide.map((_, index) => [index, { allOf: wide.map((__, other) => ({ $ref: `#/$defs/${other}` })) }]),
    );
    expect(schemaType({ allOf: wide, $defs: { ...$defs, ...levels } }).length).toBeLessThan(100_000);
  });
});

describe("a remark", () => {
  it("is one line of plain ASCII that cannot end early", () => {
    expect(remark("two\nlines */ and é")).toBe("/** two lines *\\/ and \\u00e9 */");
    expect(remark("x".repeat(500))).toBe(`/** ${"x".repeat(200)}... */`);
    expect(remark(undefined)).toBe("");
  });
});
