import type { ToolDefinition } from "@jackfield/mcp-core";
import { unparsedText } from "@jackfield/mcp-tools/unparsed-schema";
import { describe, expect, test } from "vitest";
import { outlineTools, restoreTools } from "../src/deferred-schemas.ts";

/** The tools, as they are read from a document. */
async function restored(...tools: readonly object[]): Promise<ToolDefinition[]> {
  const { outlines, schemas } = await outlineTools(tools as ToolDefinition[]);
  const read: ToolDefinition[] = JSON.parse(`[${outlines}]`);
  expect(await restoreTools(read, `[${schemas}]`)).toBe(true);
  return read;
}

const TOOL = {
  name: "read",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  title: "Read",
  outputSchema: { type: "object" },
};

describe("a tool with deferred schemas", () => {
  test("equals the original byte for byte, with its keys in order", async () => {
    const tools = [
      TOOL,
      { inputSchema: { type: "object", 'quo"te\n': "\ud800 ü \u{1f600}" }, name: "other" },
    ];
    expect(JSON.stringify(await restored(...tools))).toBe(JSON.stringify(tools));
    expect(await restored(...tools)).toEqual(tools);
  });

  test("can be copied in every way before its schemas are parsed", async () => {
    const ways: ((tool: ToolDefinition) => unknown)[] = [
      (tool) => ({ ...tool }),
      (tool) => structuredClone(tool),
      (tool) => Object.fromEntries(Object.entries(tool)),
    ];
    for (const copy of ways) expect(copy((await restored(TOOL))[0] as ToolDefinition)).toEqual(TOOL);
  });

  test("returns the same schema object each time, even if it is frozen", async () => {
    const [open, frozen] = (await restored(TOOL, TOOL)).map((tool, index) =>
      index === 1 ? Object.freeze(tool) : tool,
    );
    for (const tool of [open, frozen]) {
      expect(tool?.inputSchema).toEqual(TOOL.inputSchema);
      expect(tool?.inputSchema).toBe(tool?.inputSchema);
    }
    expect(Object.getOwnPropertyDescriptor(open, "inputSchema")).toHaveProperty("value", TOOL.inputSchema);
  });

  test("[L13] has deeply frozen schemas if it is frozen", async () => {
    const [tool] = await restored(TOOL);
    Object.freeze(tool);
    const { properties = {} } = tool?.inputSchema ?? {};
    expect(() => Object.assign(properties, { path: "mine" })).toThrow(TypeError);
    expect(() => Object.assign(properties.path as object, { type: "mine" })).toThrow(TypeError);
    expect(tool).toEqual(TOOL);
  });

  test("exposes the text of a schema until it is read, and is parsed alone", async () => {
    const [tool, neighbour] = (await restored(TOOL, { name: "other", inputSchema: { type: "object" } })) as [
      ToolDefinition,
      ToolDefinition,
    ];
    expect(unparsedText(tool, "inputSchema")).toBe(JSON.stringify(TOOL.inputSchema));
    expect(unparsedText(tool, "outputSchema")).toBe(JSON.stringify(TOOL.outputSchema));
    expect(unparsedText(neighbour, "outputSchema")).toBeUndefined();
    expect(neighbour.inputSchema).toEqual({ type: "object" });
    expect(unparsedText(neighbour, "inputSchema")).toBeUndefined();
    expect(unparsedText(tool, "inputSchema")).toBe(JSON.stringify(TOOL.inputSchema));
    expect(tool).toEqual(TOOL);
    expect(unparsedText(tool, "outputSchema")).toBeUndefined();
  });

  test("is written again without being parsed", async () => {
    const tools = await restored(TOOL, { name: "other", inputSchema: { type: "object" } });
    const again = await outlineTools(tools);
    expect(again).toEqual(
      await outlineTools([TOOL, { name: "other", inputSchema: { type: "object" } }] as ToolDefinition[]),
    );
    for (const tool of tools) expect(unparsedText(tool, "inputSchema")).toBeDefined();
  });

  test("accepts replacing or deleting a schema without changing its neighbour", async () => {
    const [changed, neighbour, bare] = (await restored(TOOL, TOOL, TOOL)) as [
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

  test("keeps an invalid output schema, but turns a number into null", async () => {
    const odd = (outputSchema: unknown) => ({ ...TOOL, outputSchema });
    expect(await restored(odd(null), odd("text"), odd([1]), odd(7))).toEqual(
      [null, "text", [1], null].map((outputSchema) => odd(outputSchema)),
    );
  });
});
