import type { ToolDefinition } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { mirrorFault, withoutUnmirrorableTools } from "../../src/session/mirrored-parameters.ts";

const mark = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });

function toolWith(properties: object, rest: object = {}): ToolDefinition {
  return { name: "t", inputSchema: { type: "object", properties, ...rest } as ToolDefinition["inputSchema"] };
}

test.each<[string, ToolDefinition]>([
  ["no mark at all", toolWith({ a: { type: "string" } })],
  [
    "marked strings, integers and booleans",
    toolWith({ a: mark("A"), b: mark("B", "integer"), c: mark("C", "boolean") }),
  ],
  ["a mark deeper in the properties", toolWith({ a: { type: "object", properties: { b: mark("B") } } })],
  ["a property that is called like the mark", toolWith({ "x-mcp-header": { type: "array" } })],
  ["a value that looks like a mark", toolWith({ a: { type: "object", default: { "x-mcp-header": 1 } } })],
  ["a property that is called like a keyword", toolWith({ items: mark("A"), allOf: mark("B") })],
])("parameters can be repeated in headers: %s", (_title, tool) => {
  expect(mirrorFault(tool)).toBeUndefined();
});

test.each<[string, ToolDefinition]>([
  ["an empty name", toolWith({ a: mark("") })],
  ["a name that is no text", toolWith({ a: mark(7) })],
  ["a name with a space", toolWith({ a: mark("My Region") })],
  ["a name with a colon", toolWith({ a: mark("Region:") })],
  ["a name with a line break", toolWith({ a: mark("Region\r\nX-Other") })],
  ["a name beyond ASCII", toolWith({ a: mark("Région") })],
  ["an object", toolWith({ a: mark("A", "object") })],
  ["a list", toolWith({ a: mark("A", "array") })],
  ["null", toolWith({ a: mark("A", "null") })],
  ["a number", toolWith({ a: mark("A", "number") })],
  ["several types", toolWith({ a: mark("A", ["string", "null"]) })],
  ["no type", toolWith({ a: { "x-mcp-header": "A" } })],
  ["a name twice", toolWith({ a: mark("Region"), b: mark("Region") })],
  ["a name twice, in other letters", toolWith({ a: mark("Region"), b: mark("REGION") })],
  ["the root", toolWith({}, mark("A"))],
  ["an item of a list", toolWith({ a: { type: "array", items: mark("A") } })],
  ["an alternative", toolWith({ a: { anyOf: [mark("A")] } })],
  ["a property within an alternative", toolWith({}, { oneOf: [{ properties: { a: mark("A") } }] })],
  ["a definition", toolWith({}, { $defs: { a: mark("A") } })],
])("parameters cannot be repeated in headers: %s", (_title, tool) => {
  expect(mirrorFault(tool)).toContain("x-mcp-header");
});

test("tools whose marks cannot be followed are left out with a warning, and the others stay", () => {
  const good = { ...toolWith({ a: mark("A") }), name: "good" };
  const bad = { ...toolWith({ a: mark("") }), name: "bad" };
  const logged: unknown[] = [];
  const log = (level: string, message: string, fields?: object) => void logged.push([level, message, fields]);
  const listing = { items: [good, bad], ttlMs: 5 };
  expect(withoutUnmirrorableTools(listing, { server: "s", log })).toEqual({ items: [good], ttlMs: 5 });
  expect(logged).toEqual([
    ["warn", expect.stringContaining("does not name a header"), { server: "s", tool: "bad" }],
  ]);
});

test("a list without faults is passed on as it is", () => {
  const listing = { items: [toolWith({})] };
  expect(withoutUnmirrorableTools(listing, { server: "s", log: () => {} })).toBe(listing);
});
