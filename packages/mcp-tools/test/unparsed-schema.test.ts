import { describe, expect, it } from "vitest";
import { markUnparsed, unparsedSchemas, unparsedText } from "../src/unparsed-schema.ts";

const TEXT = '{"type":"object"}';
const SCHEMAS = { textOf: () => TEXT };

function toolWith(inputSchema: PropertyDescriptor): object {
  return Object.defineProperty({ name: "read" }, "inputSchema", { enumerable: true, ...inputSchema });
}

describe("a lazily parsed schema", () => {
  it("gives its text without being parsed", () => {
    const get = () => {
      throw new Error("It was read.");
    };
    const tool = markUnparsed(toolWith({ get }), SCHEMAS);
    expect(unparsedText(tool, "inputSchema")).toBe(TEXT);
    expect(unparsedText(Object.freeze(tool), "inputSchema")).toBe(TEXT);
    expect(unparsedSchemas(tool)).toBe(SCHEMAS);
  });

  it("gives no text when it is already parsed, missing or behind another getter", () => {
    const parsed = markUnparsed(toolWith({ value: { type: "object" } }), SCHEMAS);
    expect(unparsedText(parsed, "inputSchema")).toBeUndefined();
    expect(unparsedText(parsed, "outputSchema")).toBeUndefined();
    expect(unparsedText(toolWith({ get: () => ({}) }), "inputSchema")).toBeUndefined();
  });

  it("becomes an ordinary parsed value in a copy of the tool", () => {
    const copy = { ...markUnparsed(toolWith({ get: () => ({ type: "object" }) }), SCHEMAS) };
    expect(unparsedText(copy, "inputSchema")).toBeUndefined();
    expect(unparsedSchemas(copy)).toBeUndefined();
    expect(copy).toEqual({ name: "read", inputSchema: { type: "object" } });
  });
});
