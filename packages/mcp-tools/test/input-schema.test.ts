import { describe, expect, it } from "vitest";
import { modelInputSchema } from "../src/input-schema.ts";

describe("the schema a model is shown", () => {
  it("is the server's own object where the root is as it must be", () => {
    const schema = Object.freeze({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { path: { $ref: "#/$defs/path" } },
      $defs: { path: { type: "string" } },
      "x-vendor": 1,
    });
    expect(modelInputSchema(schema)).toBe(schema);
  });

  it("[T43] gets properties where it has none, and the server's object stays as it is", () => {
    const schema = Object.freeze({ type: "object", additionalProperties: true });
    expect(modelInputSchema(schema)).toEqual({ type: "object", additionalProperties: true, properties: {} });
    expect(schema).toEqual({ type: "object", additionalProperties: true });
  });

  it("[T44] is not closed where it is open", () => {
    expect(modelInputSchema({ type: "object" })).not.toHaveProperty("additionalProperties");
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
      { type: "string", minLength: 1 },
      { type: "object", properties: {}, minLength: 1 },
    ],
    [true, { type: "object", properties: {} }],
    [[], { type: "object", properties: {} }],
    [undefined, { type: "object", properties: {} }],
  ])("has an object at its root for %j", (schema, expected) => {
    expect(modelInputSchema(schema)).toEqual(expected);
  });
});
