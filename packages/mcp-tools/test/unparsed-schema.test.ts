import { describe, expect, it } from "vitest";
import { markUnparsed, unparsedSchemas, unparsedText } from "../src/unparsed-schema.ts";

const SCHEMAS = { text: '[{"type":"object"}]' };

function toolWith(inputSchema: PropertyDescriptor): object {
  return Object.defineProperty({ name: "read" }, "inputSchema", { enumerable: true, ...inputSchema });
}

describe("a schema that is parsed when it is first read", () => {
  it("tells the text it will be parsed from, and is not read for it", () => {
    const get = () => {
      throw new Error("It was read.");
    };
    const tool = markUnparsed(toolWith({ get }), SCHEMAS);
    expect(unparsedText(tool, "inputSchema")).toBe(SCHEMAS.text);
    expect(unparsedText(Object.freeze(tool), "inputSchema")).toBe(SCHEMAS.text);
    expect(unparsedSchemas(tool)).toBe(SCHEMAS);
  });

  it("is not taken for one that is there, is missing, or has a getter of another kind", () => {
    const parsed = markUnparsed(toolWith({ value: { type: "object" } }), SCHEMAS);
    expect(unparsedText(parsed, "inputSchema")).toBeUndefined();
    expect(unparsedText(parsed, "outputSchema")).toBeUndefined();
    expect(unparsedText(toolWith({ get: () => ({}) }), "inputSchema")).toBeUndefined();
  });

  it("is an ordinary member of copies, which hold what was parsed", () => {
    const copy = { ...markUnparsed(toolWith({ get: () => ({ type: "object" }) }), SCHEMAS) };
    expect(unparsedText(copy, "inputSchema")).toBeUndefined();
    expect(unparsedSchemas(copy)).toBeUndefined();
    expect(copy).toEqual({ name: "read", inputSchema: { type: "object" } });
  });
});
