import type { ToolDefinition } from "@jackfield/mcp-core";
import { unparsedText } from "@jackfield/mcp-tools/unparsed-schema";
import { describe, expect, test } from "vitest";
import { outlineTools, restoreTools } from "../src/deferred-schemas.ts";

/** Tools as they come out of a document. */
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

describe("a tool whose schemas are parsed when they are looked at", () => {
  test("is the same tool, byte for byte, keys in their order", () => {
    const tools = [
      TOOL,
      { inputSchema: { type: "object", 'quo"te\n': "\ud800 ü \u{1f600}" }, name: "other" },
    ];
    expect(JSON.stringify(restored(...tools))).toBe(JSON.stringify(tools));
    expect(restored(...tools)).toEqual(tools);
  });

  test("can be copied in every way before anybody has looked", () => {
    const ways: ((tool: ToolDefinition) => unknown)[] = [
      (tool) => ({ ...tool }),
      (tool) => structuredClone(tool),
      (tool) => Object.fromEntries(Object.entries(tool)),
    ];
    for (const copy of ways) expect(copy(restored(TOOL)[0] as ToolDefinition)).toEqual(TOOL);
  });

  test("gives the same schema each time, also where it was frozen before", () => {
    const [open, frozen] = restored(TOOL, TOOL).map((tool, index) =>
      index === 1 ? Object.freeze(tool) : tool,
    );
    for (const tool of [open, frozen]) {
      expect(tool?.inputSchema).toEqual(TOOL.inputSchema);
      expect(tool?.inputSchema).toBe(tool?.inputSchema);
    }
    expect(Object.getOwnPropertyDescriptor(open, "inputSchema")).toHaveProperty("value", TOOL.inputSchema);
  });

  test("[L13] gives schemas that nobody can change, to the last member, where it was frozen before", () => {
    const [tool] = restored(TOOL);
    Object.freeze(tool);
    const { properties = {} } = tool?.inputSchema ?? {};
    expect(() => Object.assign(properties, { path: "mine" })).toThrow(TypeError);
    expect(() => Object.assign(properties.path as object, { type: "mine" })).toThrow(TypeError);
    expect(tool).toEqual(TOOL);
  });

  test("tells the text of which its schemas are a part until one of the server's is looked at", () => {
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

  test("takes another schema in its place, and can lose one, while its neighbour keeps its own", () => {
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

  test("keeps what stands where an output schema should, and no number", () => {
    const odd = (outputSchema: unknown) => ({ ...TOOL, outputSchema });
    expect(restored(odd(null), odd("text"), odd([1]), odd(7))).toEqual(
      [null, "text", [1], null].map((outputSchema) => odd(outputSchema)),
    );
  });
});
