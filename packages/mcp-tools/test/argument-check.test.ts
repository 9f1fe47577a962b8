import type { ToolDescriptor, ToolInputSchema } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { createArgumentCheck } from "../src/argument-check.ts";

function check(properties: Record<string, unknown>, args: unknown, rest: Record<string, unknown> = {}) {
  const inputSchema = { type: "object", properties, ...rest } as ToolInputSchema;
  const tool: ToolDescriptor = {
    name: "mcp__files__read",
    server: "files",
    originalName: "read",
    description: "",
    definition: { name: "read", inputSchema },
    origin: "live",
    requiresApproval: false,
  };
  return createArgumentCheck(tool)(args);
}

describe("arguments", () => {
  it("that fit the schema give no error", () => {
    expect(check({ path: { type: "string" } }, { path: "a" }, { required: ["path"] })).toBeUndefined();
  });

  it("[T19] without a required name are refused as not sent, naming it", () => {
    expect(check({}, {}, { required: ["path"] })).toMatchObject({
      code: "MCP_ARGUMENTS_INVALID",
      server: "files",
      tool: "read",
      outcome: "not-sent",
      message: 'Tool "read" of server "files" was not called: the arguments must have "path".',
    });
  });

  it("are never repeated in the error message", () => {
    const error = check(
      { n: { type: "number" }, s: { pattern: "^a$" } },
      { n: "s3cret-value", s: "s3cret-value" },
    );
    expect(error?.message).toContain('"/n" must be of type number');
    expect(error?.message).not.toContain("s3cret");
  });

  it("with many faults get the first five reported", () => {
    const names = Array.from({ length: 12 }, (_, n) => `p${n}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const error = check(properties, Object.fromEntries(names.map((name) => [name, 1])));
    expect(error?.message.match(/must be of type string/g)).toHaveLength(5);
    expect(error?.message).toContain("and 7 more");
  });

  it.each([[[1]], ["text"], [7], [null]])("that are not an object are refused: %j", (args) => {
    expect(check({}, args)).toMatchObject({ code: "MCP_ARGUMENTS_INVALID", outcome: "not-sent" });
  });

  it.each<[string, Record<string, unknown>, object]>([
    ["pattern", { properties: { s: { type: "string", pattern: "^(a+)+$" } } }, { s: `${"a".repeat(60)}!` }],
    [
      "patternProperties",
      { patternProperties: { "^(a+)+$": { type: "string" } } },
      { [`${"a".repeat(60)}!`]: 1 },
    ],
  ])("[T63] are not matched with a %s that may run away: the server judges", (_title, schema, args) => {
    expect(check({}, args, schema)).toBeUndefined();
  });

  it("[T64] for a schema nested too deeply fail with MCP_LIMIT_EXCEEDED", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 5_000; level += 1) deep = { items: deep };
    expect(check({ deep }, {})).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "not-sent" });
  });

  it("for a schema with malformed properties are let through", () => {
    expect(check("nonsense" as never, { a: 1 })).toBeUndefined();
  });

  it.each([
    ["\\S", 5, "a".repeat(900)],
    ["\\.(png|jpe?g|gif)$", 50, `/home/somebody/pictures/${"x".repeat(120)}.png`],
    ["^\\S+@\\S+\\.\\S+$", 40, "somebody@subdomain.example-company.com"],
    ["^/.*/.*\\.md$", 50, `/home/somebody/documents/${"x".repeat(120)}.md`],
    ["^(?!\\s*$).+", 20, "word ".repeat(80)],
  ])("that match the pattern %s are accepted, %d of them", (pattern, count, text) => {
    const texts = { type: "array", items: { type: "string", pattern } };
    expect(check({ texts }, { texts: Array.from({ length: count }, () => text) })).toBeUndefined();
  });
});
