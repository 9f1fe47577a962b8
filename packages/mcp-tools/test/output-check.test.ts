import type { ToolCallResult, ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { createOutputCheck } from "../src/output-check.ts";

const SCHEMA = {
  type: "object",
  properties: { rows: { type: "array", items: { type: "integer" } } },
  required: ["rows"],
};

function check(outputSchema: unknown, result: ToolCallResult) {
  const tool: ToolDescriptor = {
    name: "mcp__files__count",
    server: "files",
    originalName: "count",
    description: "",
    definition: { name: "count", inputSchema: { type: "object" }, outputSchema: outputSchema as never },
    origin: "live",
    requiresApproval: false,
  };
  return createOutputCheck(tool)(result);
}

const text = [{ type: "text" as const, text: "3 rows" }];

describe("[threat T62] the check of an answer against the tool's output schema", () => {
  it("is content with what follows the schema, and gives nothing in its place", () => {
    expect(check(SCHEMA, { content: text, structuredContent: { rows: [1, 2, 3] } })).toBeUndefined();
  });

  it.each([
    ["a part of a wrong type", { rows: [1, "two"] }, '"/rows/1"'],
    ["a missing part", {}, "the content"],
    ["something other than an object", [], "the content"],
  ])("refuses %s, and says where", (_title, structuredContent, place) => {
    const error = check(SCHEMA, { content: text, structuredContent });
    expect(error).toMatchObject({
      code: "MCP_PROTOCOL_VIOLATED",
      server: "files",
      tool: "count",
      phase: "call",
      outcome: "unknown",
    });
    expect(error?.message).toContain(place);
    expect(error?.message).not.toContain("two");
  });

  it("refuses an answer without the structured content that was promised", () => {
    expect(check(SCHEMA, { content: text })?.message).toContain("it has no structured content");
  });

  it("lets an error of the tool pass, which need not follow the schema", () => {
    expect(check(SCHEMA, { content: text, isError: true })).toBeUndefined();
    expect(check(SCHEMA, { content: text, isError: true, structuredContent: {} })).toBeUndefined();
  });

  it.each([undefined, null, "object", 7, []])("asks nothing where the schema is %j", (schema) => {
    expect(check(schema, { content: text, structuredContent: { any: "thing" } })).toBeUndefined();
    expect(check(schema, { content: text })).toBeUndefined();
  });

  it("passes over a schema that would take too long", () => {
    const evil = { type: "object", properties: { a: { type: "string", pattern: "^((a+)+)+$" } } };
    const structuredContent = { a: `${"a".repeat(40)}!` };
    expect(check(evil, { content: [], structuredContent })).toBeUndefined();
  });
});
