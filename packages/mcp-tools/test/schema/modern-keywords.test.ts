import { describe, expect, it } from "vitest";
import { fitSchema } from "../../src/fitting/fit-schema.ts";
import { createSchemaValidator } from "../../src/schema/schema-validator.ts";
import { countedReads } from "../counted-reads.ts";
import { judgeOf } from "./ajv.ts";

type Schema = Record<string, unknown>;

const root = (p: Schema) => ({ type: "object", properties: { p } });
const fitted = (schema: Schema) => fitSchema(schema, { profile: "anthropic" });

describe("keywords of older and later drafts", () => {
  const BOTH: readonly (readonly [schema: Schema, expected: Schema])[] = [
    [
      { dependentRequired: { a: ["b"] }, dependencies: { a: ["c", "b"], d: ["e"] } },
      { dependentRequired: { a: ["b", "c"], d: ["e"] } },
    ],
    [
      { dependentSchemas: { a: { required: ["b"] } }, dependencies: { a: { required: ["c"] }, d: false } },
      { dependentSchemas: { a: { allOf: [{ required: ["b"] }, { required: ["c"] }] }, d: false } },
    ],
    [
      { dependentRequired: { a: ["b"] }, dependencies: { a: { required: ["c"] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { a: { required: ["c"] } } },
    ],
  ];

  it.each(BOTH)("%j demands what both its old and its new keyword demand", (schema, expected) => {
    expect(fitted(root(schema)).schema).toEqual(root(expected));
    for (const one of [schema, { not: schema }]) {
      const validator = createSchemaValidator(one);
      const isRight = judgeOf(one);
      const isRightFitted = judgeOf(fitted(root(one)).schema);
      for (const value of [{}, { a: 1 }, { a: 1, b: 1 }, { a: 1, c: 1 }, { a: 1, b: 1, c: 1 }, { d: 1 }]) {
        expect([value, validator.problems(value).length === 0]).toEqual([value, isRight(value)]);
        expect([value, isRightFitted({ p: value })]).toEqual([value, isRight(value)]);
      }
    }
  });

  it.each<[Schema, Schema]>([
    [{ dependentRequired: { a: 5 }, dependencies: { a: ["b"] } }, {}],
    [{ dependentRequired: "a", dependencies: { a: ["b"] } }, {}],
    [{ dependentSchemas: { a: "b" }, dependencies: { a: { required: ["b"] } } }, { required: ["b"] }],
  ])("%j is judged only by its well-formed part", (schema, certain) => {
    const value = { a: 1 };
    expect(createSchemaValidator(schema).problems(value).length === 0).toBe(judgeOf(certain)(value));
    expect(createSchemaValidator({ not: schema }).problems({ ...value, b: 1 })).toEqual([]);
    expect(fitted(root(schema)).changes).toContainEqual(expect.objectContaining({ kind: "removed" }));
  });

  it("a long `dependencies` is read only twice, however often it is inlined", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `name${index}`);
    const properties = Object.fromEntries(names.slice(0, 1_500).map((name) => [name, { $ref: "#/$defs/a" }]));
    const dependencies = countedReads(Object.fromEntries(names.map((name) => [name, ["name1"]])));
    const required = countedReads(names);
    const a = { dependentRequired: { name0: required.value }, dependencies: dependencies.value };
    fitted({ type: "object", properties, $defs: { a } });
    // Once to index the schemas within, once to rewrite them.
    expect([dependencies.reads(), required.reads()]).toEqual([2, 1]);
  });

  it("schemas that share one `dependencies` object keep their other keywords apart", () => {
    const dependencies = { a: ["b"] };
    const schema = { items: { dependentRequired: { c: ["d"] }, dependencies }, contains: { dependencies } };
    expect(fitted(root(schema)).schema).toEqual(
      root({
        items: { dependentRequired: { c: ["d"], a: ["b"] } },
        contains: { dependentRequired: { a: ["b"] } },
      }),
    );
  });

  it("`__proto__` is an ordinary name in `dependencies`", () => {
    const schema = JSON.parse('{"dependentRequired":{"a":["b"]},"dependencies":{"__proto__":["c"]}}');
    expect(createSchemaValidator(schema).problems({})).toEqual([]);
    expect(createSchemaValidator(schema).problems(JSON.parse('{"__proto__":1}'))).toHaveLength(1);
  });

  it("an `items` array does not replace `prefixItems`", () => {
    const prefixItems = [{ type: "string" }];
    const { schema, changes } = fitted(
      root({ prefixItems, items: [{ type: "number" }], additionalItems: false }),
    );
    expect(schema).toEqual(root({ prefixItems }));
    expect(changes).toContainEqual(expect.objectContaining({ kind: "removed", keyword: "items" }));
  });

  it("keywords newer than draft-07 are dropped from a draft-07 `not`, which stays", () => {
    const later = {
      $dynamicRef: "#a",
      dependentRequired: { a: ["b"] },
      dependentSchemas: { a: false },
      maxContains: 1,
      minContains: 2,
      prefixItems: [false],
      unevaluatedItems: false,
      unevaluatedProperties: false,
    };
    const $schema = "http://json-schema.org/draft-07/schema#";
    for (const [keyword, value] of Object.entries(later)) {
      const not = { type: "array", [keyword]: value };
      expect(fitted({ $schema, ...root({ not }) }).schema).toEqual(root({ not: { type: "array" } }));
    }
  });
});
