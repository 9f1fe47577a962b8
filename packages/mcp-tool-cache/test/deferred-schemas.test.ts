import type { ToolDefinition } from "@jackfield/mcp-core";
import { unparsedText } from "@jackfield/mcp-tools/unparsed-schema";
import { describe, expect, test } from "vitest";
import { outlineTools, restoreTools } from "../src/catalog-document.ts";

/** The tools, as they are read from a document. */
function restored(...tools: readonly object[]): ToolDefinition[] {
  const { outlines, schemas } = outlineTools(tools as ToolDefinition[]);
  const read: ToolDefinition[] = JSON.parse(JSON.stringify(outlines));
  expect(restoreTools(read, schemas)).toBe(true);
  return read;
}

const TOOL = {
  name: "read",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  title: "Read",
  outputSchema: { type: "object" },
};

describe("a tool with deferred schemas", () => {
  test("equals the original byte for byte, with its keys in order", () => {
    const tools = [
      TOOL,
      { inputSchema: { type: "object", 'quo"te\n': "\ud800 ü \u{1f600}" }, name: "other" },
    ];
    expect(JSON.stringify(restored(...tools))).toBe(JSON.stringify(tools));
    expect(restored(...tools)).toEqual(tools);
  });

  test("can be copied in every way before its schemas are parsed", () => {
    const ways: ((tool: ToolDefinition) => unknown)[] = [
      (tool) => ({ ...tool }),
      (tool) => structuredClone(tool),
      (tool) => Object.fromEntries(Object.entries(tool)),
    ];
    for (const copy of ways) expect(copy(restored(TOOL)[0] as ToolDefinition)).toEqual(TOOL);
  });

  test("returns the same schema object each time, even if it is frozen", () => {
    const [open, frozen] = restored(TOOL, TOOL).map((tool, index) =>
      index === 1 ? Object.freeze(tool) : tool,
    );
    for (const tool of [open, frozen]) {
      expect(tool?.inputSchema).toEqual(TOOL.inputSchema);
      expect(tool?.inputSchema).toBe(tool?.inputSchema);
    }
    expect(Object.getOwnPropertyDescriptor(open, "inputSchema")).toHaveProperty("value", TOOL.inputSchema);
  });

  test("[L13] has deeply frozen schemas if it is frozen", () => {
    const [tool] = restored(TOOL);
    Object.freeze(tool);
    const { properties = {} } = tool?.inputSchema ?? {};
    expect(() => Object.assign(properties, { path: "mine" })).toThrow(TypeError);
    expect(() => Object.assign(properties.path as object, { type: "mine" })).toThrow(TypeError);
    expect(tool).toEqual(TOOL);
  });

  test("exposes the server's unparsed schema text until one schema is read", () => {
    const [tool, neighbour] = restored(TOOL, { name: "other", inputSchema: { type: "object" } }) as [
      ToolDefinition,
      ToolDefinition,
    ];
    const text = unparsedText(tool, "inputSchema") ?? "";
    expect(JSON.parse(text)).toEqual([TOOL.inputSchema, TOOL.outputSchema, { type: "object" }]);
    expect(unparsedText(tool, "outputSchema")).toBe(text);
    expect(unparsedText(neighbour, "inputSchema")).toBe(text);
    expect(unparsedText(neighbour, "outputSchema")).toBeUndefined();
    expect(neighbour.inputSchema).toEqual({ type: "object" });
    expect(unparsedText(tool, "inputSchema")).toBeUndefined();
  });

  test("accepts replacing or deleting a schema without changing its neighbour", () => {
    const [changed, neighbour, bare] = restored(TOOL, TOOL, TOOL) as [
      ToolDefinition,
      ToolDefinition,
      ToolDefinition,
    ];
    delete bare.outputSchema;
    changed.inputSchema = { type: "object", title: "other" };
    expect(changed).toEqual({ ...TOOL, inputSchema: { type: "object", title: "other" } });
    expect(neighbour).toEqual(TOOL);
    expect(Object.keys(bare)).toEqual(["name", "inputSchema", "title"]);
  });

  test("keeps an invalid output schema, but turns a number into null", () => {
    const odd = (outputSchema: unknown) => ({ ...TOOL, outputSchema });
    expect(restored(odd(null), odd("text"), odd([1]), odd(7))).toEqual(
      [null, "text", [1], null].map((outputSchema) => odd(outputSchema)),
    );
  });
});
