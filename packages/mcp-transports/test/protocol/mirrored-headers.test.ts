import type { ToolDefinition } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { mirroredArguments, withoutUnmirrorableTools } from "../../src/protocol/mirrored-headers.ts";

const mark = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });

/** What is wrong with the marks of a tool. */
function mirrorFault(tool: ToolDefinition): string | undefined {
  let fault: string | undefined;
  const log = (_level: string, message: string) => {
    fault = message;
  };
  withoutUnmirrorableTools({ items: [tool] }, log);
  return fault;
}

function toolWith(properties: object, rest: object = {}): ToolDefinition {
  return { name: "t", inputSchema: { type: "object", properties, ...rest } as ToolDefinition["inputSchema"] };
}

test.each<[string, ToolDefinition]>([
  ["no x-mcp-header at all", toolWith({ a: { type: "string" } })],
  [
    "marked strings, integers and booleans",
    toolWith({ a: mark("A"), b: mark("B", "integer"), c: mark("C", "boolean") }),
  ],
  ["a mark in a nested object", toolWith({ a: { type: "object", properties: { b: mark("B") } } })],
  ["a property named x-mcp-header", toolWith({ "x-mcp-header": { type: "array" } })],
  ["a default that looks like a mark", toolWith({ a: { type: "object", default: { "x-mcp-header": 1 } } })],
  ["properties named like schema keywords", toolWith({ items: mark("A"), allOf: mark("B") })],
])("parameters can be repeated in headers: %s", (_title, tool) => {
  expect(mirrorFault(tool)).toBeUndefined();
});

test.each<[string, ToolDefinition]>([
  ["an empty name", toolWith({ a: mark("") })],
  ["a number as name", toolWith({ a: mark(7) })],
  ["a name with a space", toolWith({ a: mark("My Region") })],
  ["a name with a colon", toolWith({ a: mark("Region:") })],
  ["a name with a line break", toolWith({ a: mark("Region\r\nX-Other") })],
  ["a non-ASCII name", toolWith({ a: mark("Région") })],
  ["an object parameter", toolWith({ a: mark("A", "object") })],
  ["a list parameter", toolWith({ a: mark("A", "array") })],
  ["a null parameter", toolWith({ a: mark("A", "null") })],
  ["a number parameter", toolWith({ a: mark("A", "number") })],
  ["several types", toolWith({ a: mark("A", ["string", "null"]) })],
  ["no type", toolWith({ a: { "x-mcp-header": "A" } })],
  ["a duplicate name", toolWith({ a: mark("Region"), b: mark("Region") })],
  ["a duplicate name in another case", toolWith({ a: mark("Region"), b: mark("REGION") })],
  ["a mark on the root", toolWith({}, mark("A"))],
  ["a mark on list items", toolWith({ a: { type: "array", items: mark("A") } })],
  ["a mark on an alternative", toolWith({ a: { anyOf: [mark("A")] } })],
  ["a mark on a property of an alternative", toolWith({}, { oneOf: [{ properties: { a: mark("A") } }] })],
  ["a mark on a definition", toolWith({}, { $defs: { a: mark("A") } })],
])("parameters cannot be repeated in headers: %s", (_title, tool) => {
  expect(mirrorFault(tool)).toContain("x-mcp-header");
});

test("a tool with an invalid mark is left out with a warning, and others stay", () => {
  const good = { ...toolWith({ a: mark("A") }), name: "good" };
  const bad = { ...toolWith({ a: mark("") }), name: "bad" };
  const logged: unknown[] = [];
  const log = (level: string, message: string, fields?: object) => void logged.push([level, message, fields]);
  const listing = { items: [good, bad], ttlMs: 5 };
  expect(withoutUnmirrorableTools(listing, log)).toEqual({ items: [good], ttlMs: 5 });
  expect(logged).toEqual([["warn", expect.stringContaining("does not name a header"), { tool: "bad" }]]);
});

test("a list without faults is returned unchanged", () => {
  const listing = { items: [toolWith({})] };
  expect(withoutUnmirrorableTools(listing, () => {})).toBe(listing);
});

test("marked arguments are repeated as text, and what is missing or of another type is left out", () => {
  const tool = toolWith({
    region: mark("Region"),
    n: mark("Count", "integer"),
    dry: mark("Dry", "boolean"),
    in: { type: "object", properties: { deep: mark("Deep") } },
    gone: mark("Gone"),
    odd: mark("Odd"),
  });
  const args = { region: "eu", n: 3, dry: false, in: { deep: "ü" }, gone: null, odd: { a: 1 } };
  expect(mirroredArguments(tool, args)).toEqual({
    "mcp-param-region": "eu",
    "mcp-param-count": "3",
    "mcp-param-dry": "false",
    "mcp-param-deep": "ü",
  });
  expect(mirroredArguments(toolWith({ a: { type: "string" } }), { a: "x" })).toBeUndefined();
});
