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

describe("[threat T62] checking a result against the tool's output schema", () => {
  it("accepts structured content that follows the schema", () => {
    expect(check(SCHEMA, { content: text, structuredContent: { rows: [1, 2, 3] } })).toBeUndefined();
  });

  it.each([
    ["a member of a wrong type", { rows: [1, "two"] }, '"/rows/1"'],
    ["a missing member", {}, "the content"],
    ["something other than an object", [], "the content"],
  ])("refuses %s and names the place", (_title, structuredContent, place) => {
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

  it("refuses a result without structured content", () => {
    expect(check(SCHEMA, { content: text })?.message).toContain("it has no structured content");
  });

  it("accepts an error result that does not follow the schema", () => {
    expect(check(SCHEMA, { content: text, isError: true })).toBeUndefined();
    expect(check(SCHEMA, { content: text, isError: true, structuredContent: {} })).toBeUndefined();
  });

  it.each([undefined, null, "object", 7, []])("accepts any result when the schema is %j", (schema) => {
    expect(check(schema, { content: text, structuredContent: { any: "thing" } })).toBeUndefined();
    expect(check(schema, { content: text })).toBeUndefined();
  });

  it("accepts a result when its schema takes too long to check", () => {
    const evil = { type: "object", properties: { a: { type: "string", pattern: "^((a+)+)+$" } } };
    const structuredContent = { a: `${"a".repeat(40)}!` };
    expect(check(evil, { content: [], structuredContent })).toBeUndefined();
  });
});
