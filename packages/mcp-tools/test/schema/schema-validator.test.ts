import { describe, expect, it } from "vitest";
import { createSchemaValidator } from "../../src/schema/schema-validator.ts";
import { hasSuite, SUITE_DIRECTORY, type SuiteGroup, suiteGroups } from "./json-schema-test-suite.ts";

/** A custom metaschema can switch keywords off; it is never fetched, so the keywords stay on. */
const UNSUPPORTED = ["no validation: invalid number, but it still validates"];

/** Whether the schema refers to another document, which is not followed; what that would refuse is let through. */
function hasRemoteReference({ schema }: SuiteGroup): boolean {
  return /"(?:\$ref|\$dynamicRef)":"(?:[^"]*localhost:1234|https?:\/\/json-schema\.org|tree\.json)|localhost:1234/.test(
    JSON.stringify(schema),
  );
}

if (!hasSuite) process.stdout.write(`SKIPPED: there is no JSON-Schema-Test-Suite in ${SUITE_DIRECTORY}.\n`);

describe.each(["draft7", "draft2020-12"] as const)("JSON-Schema-Test-Suite, %s", (draft) => {
  it.skipIf(!hasSuite)(`judges every instance as the suite in ${SUITE_DIRECTORY} does`, () => {
    const wrong: string[] = [];
    let judged = 0;
    for (const group of suiteGroups(draft)) {
      const validator = createSchemaValidator(group.schema);
      for (const { description, data, valid } of group.tests) {
        if (UNSUPPORTED.includes(description) || (hasRemoteReference(group) && !valid)) continue;
        judged += 1;
        const isValid = validator.problems(data).length === 0;
        if (isValid !== valid) wrong.push(`${group.file}: ${group.description}: ${description}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThan(800);
  });

  it.skipIf(!hasSuite)("does not modify any schema", () => {
    for (const { schema, tests } of suiteGroups(draft, { optional: true })) {
      const before = JSON.stringify(schema);
      const validator = createSchemaValidator(schema);
      for (const { data } of tests) validator.problems(data);
      expect(JSON.stringify(schema)).toBe(before);
    }
  });
});

/** Undecidable: only the server knows this type. The second certainly does not fit the objects below. */
const OPEN = { type: "int" };
const OPEN_AND_FALSE = { ...OPEN, minProperties: 3 };
/** As a literal key it would make the object thenable. */
const THEN = "then";

describe("schema validation", () => {
  const problems = (schema: Record<string, unknown>, value: unknown) =>
    createSchemaValidator(schema).problems(value);

  it("reports the path and the reason of each problem", () => {
    const schema = {
      type: "object",
      properties: { to: { type: "array", items: { type: "string", minLength: 2 } }, n: { enum: [1, 2] } },
      required: ["subject"],
      additionalProperties: false,
    };
    expect(problems(schema, { to: ["ab", "c", 3], n: 4, "a/b": 1 })).toEqual([
      { path: "", message: 'must have "subject"' },
      { path: "/to/1", message: "must have at least 2 characters" },
      { path: "/to/2", message: "must be of type string" },
      { path: "/n", message: "must be one of 1, 2" },
      { path: "/a~1b", message: "is not allowed" },
    ]);
  });

  it("reports what the nearest alternative misses", () => {
    const schema = { anyOf: [{ type: "string" }, { required: ["id"] }] };
    expect(problems(schema, {})).toEqual([
      { path: "", message: "must match one of 2 alternatives" },
      { path: "", message: "must be of type string" },
    ]);
  });

  it.each(["int", "any", 5, null, {}, ["String"], []])("leaves the unknown type %j to the server", (type) => {
    expect(problems({ type }, 1)).toEqual([]);
    expect(problems({ type: [type, "string"] }, 1)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ["an unknown type", { type: "int" }, 1],
    ["a reference to another document", { $ref: "https://example.com/a.json" }, "a"],
    ["an invalid pattern", { type: "string", pattern: "(" }, "a"],
    ["an invalid patternProperties key", { patternProperties: { "(": false } }, { a: 1 }],
    ["a string as a property schema", { properties: { a: "string" } }, { a: 1 }],
  ])("does not become stricter through %s", (_title, open, value) => {
    expect(problems({ oneOf: [open, {}] }, value)).toEqual([]);
    expect(problems({ not: open }, value)).toEqual([]);
    expect(problems({ not: { not: { not: open } } }, value)).toEqual([]);
    const condition = Object.fromEntries([["if", open], ...["then", "else"].map((name) => [name, false])]);
    expect(problems(condition, value)).toEqual([]);
    const listed = [value, value];
    expect(problems({ contains: open, maxContains: 1 }, listed)).toEqual([]);
    expect(problems({ contains: open, minContains: 2, unevaluatedItems: false }, listed)).toEqual([]);
  });

  it("allows a member that an undecidable `if` may have evaluated", () => {
    const closed = {
      if: { properties: { a: { pattern: "(" } } },
      else: { properties: { b: true } },
      unevaluatedProperties: false,
    };
    expect(problems(closed, { a: "x", b: 1 })).toEqual([]);
    expect(problems(closed, { a: 1, b: 1 })).toHaveLength(1);
  });

  it("enforces the other keywords when one is left to the server", () => {
    const open = { type: "int" };
    expect(problems({ ...open, minimum: 5 }, 1)).toHaveLength(1);
    expect(problems({ oneOf: [{ ...open, minimum: 5 }, { const: 2 }] }, 1)).not.toEqual([]);
    expect(problems({ if: { ...open, minimum: 5 }, else: false }, 1)).toHaveLength(1);
    expect(problems({ not: { type: "string", title: 5 } }, "a")).toHaveLength(1);
    const list = ["a", "b", 1];
    expect(problems({ contains: { anyOf: [{ const: 1 }, open] }, minContains: 4 }, list)).toHaveLength(1);
    const contains = { if: { type: "string" }, else: open };
    expect(problems({ contains, maxContains: 1 }, list)).toHaveLength(1);
    expect(problems({ contains, maxContains: 2 }, list)).toEqual([]);
  });

  it("reports a value that matches two alternatives of `oneOf`", () => {
    const oneOf = [{ required: ["id"] }, { required: ["path"] }, { required: ["url"] }];
    expect(problems({ oneOf }, { id: 1 })).toEqual([]);
    expect(problems({ oneOf }, { id: 1, url: 1 })).toEqual([
      { path: "", message: "must match only one alternative, but 2 match" },
    ]);
  });

  it.each<[string, Record<string, unknown>, number]>([
    ["two alternatives fit", { oneOf: [{ required: ["a"] }, { required: ["b"] }, OPEN] }, 1],
    ["only one alternative fits", { oneOf: [{ required: ["a"] }, OPEN] }, 0],
    [
      "two alternatives fit, and the open one does not",
      { oneOf: [{ required: ["a"] }, { required: ["b"] }, { ...OPEN, required: ["c"] }] },
      1,
    ],
    ["one alternative fits, and the open one does not", { oneOf: [{ required: ["a"] }, OPEN_AND_FALSE] }, 0],
    ["the excluded schema fits without it", { not: { anyOf: [{ required: ["a"] }, OPEN] } }, 1],
    ["the excluded schema may not fit", { not: { anyOf: [OPEN, { required: ["c"] }] } }, 0],
    ["the excluded `oneOf` fits without it", { not: { oneOf: [{ required: ["a"] }, OPEN_AND_FALSE] } }, 1],
    ["a condition is met without it", { if: { anyOf: [OPEN, { required: ["a"] }] }, [THEN]: false }, 1],
    ["a condition excludes it", { if: { not: OPEN_AND_FALSE }, [THEN]: false }, 1],
    ["the branch of a condition is certain", { not: { if: OPEN_AND_FALSE, else: { required: ["a"] } } }, 1],
  ])("decides despite an undecidable subschema when %s", (_title, schema, count) => {
    expect(problems(schema, { a: 1, b: 2 })).toHaveLength(count);
  });

  it("counts for `contains` only items that certainly match or fail", () => {
    const contains = { anyOf: [{ type: "string" }, { allOf: [OPEN, { type: "number" }] }] };
    expect(problems({ not: { contains } }, ["a", 1])).toHaveLength(1);
    expect(problems({ not: { contains, maxContains: 1 } }, ["a", 1])).toEqual([]);
    expect(problems({ not: { contains, minContains: 2 } }, ["a", 1])).toEqual([]);
    expect(problems({ not: { contains, maxContains: 2 } }, ["a", 1])).toHaveLength(1);
  });

  it("does not rely on what an undecidable alternative may have evaluated", () => {
    const looking = { ...OPEN, properties: { b: true } };
    const closed = { anyOf: [{ properties: { a: true } }, looking], unevaluatedProperties: false };
    expect(problems(closed, { a: 1, b: 2 })).toEqual([]);
    expect(problems(closed, { a: 1, c: 2 })).toHaveLength(1);
    expect(problems({ not: closed }, { a: 1, b: 2 })).toEqual([]);
    expect(
      problems({ not: { allOf: [{ anyOf: [true, closed] }], unevaluatedProperties: false } }, { b: 2 }),
    ).toEqual([]);
    const contains = { anyOf: [{ type: "string" }, { allOf: [OPEN, { type: "number" }] }] };
    expect(problems({ not: { contains, unevaluatedItems: false } }, ["a", 1])).toEqual([]);
    expect(problems({ not: { contains, unevaluatedItems: false } }, ["a", "b"])).toHaveLength(1);
  });

  it("[T65] takes references to other documents as satisfied", () => {
    expect(problems({ $ref: "http://127.0.0.1:9/schema.json" }, 7)).toEqual([]);
    expect(problems({ $ref: "file:///etc/passwd", minimum: 9 }, 7)).toHaveLength(1);
  });

  it("treats names from Object.prototype as ordinary names", () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"toString":{"type":"string"}}}');
    expect(problems(schema, {})).toEqual([]);
    expect(problems(schema, JSON.parse('{"__proto__":1}'))).toHaveLength(1);
    expect(problems({ required: ["constructor"] }, {})).toHaveLength(1);
  });

  it("ignores keywords of later drafts in a draft-07 schema", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const later: readonly [Record<string, unknown>, unknown][] = [
      [{ unevaluatedProperties: false }, { b: 1 }],
      [{ unevaluatedItems: false }, [1]],
      [{ contains: { type: "number" }, minContains: 2 }, [1]],
      [{ contains: { type: "number" }, maxContains: 1 }, [1, 2]],
      [{ prefixItems: [{ type: "string" }] }, [1]],
      [{ dependentRequired: { a: ["b"] } }, { a: 1 }],
      [{ dependentSchemas: { a: false } }, { a: 1 }],
      [{ $dynamicRef: "#a", definitions: { a: { $dynamicAnchor: "a", type: "string" } } }, 1],
    ];
    for (const [schema, value] of later) {
      expect(problems({ $schema, ...schema }, value)).toEqual([]);
      expect(problems(schema, value)).not.toEqual([]);
    }
    expect(problems({ $schema, contains: { type: "number" }, minContains: 0 }, ["a"])).toHaveLength(1);
  });

  it.each([
    [2, 9_007_199_254_740_991, false],
    [1, 1_125_899_906_842_624.5, false],
    [4, 4_503_599_627_370_497, false],
    [3, 9_007_199_254_740_990, true],
    [0.1, 0.3, true],
    [0.01, 19.99, true],
    [0.1, 0.300_000_000_000_01, false],
    [0.5, 1e308, true],
  ])("with multipleOf %d accepts %d: %s", (multipleOf, value, isMultiple) => {
    expect(problems({ multipleOf }, value)).toHaveLength(isMultiple ? 0 : 1);
  });
});
