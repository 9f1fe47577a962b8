import type { JsonValue, ToolDefinition } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "./fixture.ts";
import { type GuardedRuntime, hostileServer, offeredToModels, openGuarded } from "./red-team-runtime.ts";

useLeakCheck();

type Schema = ToolDefinition["inputSchema"];

function nested(depth: number, wrap: (inner: JsonValue) => Record<string, JsonValue>): Schema {
  let schema: Record<string, JsonValue> = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return { type: "object", properties: { a: schema } };
}
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const doubling = Object.fromEntries(
  many(30, (n) => [`d${n}`, { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] }]),
);
const withPattern = (pattern: string): Schema => ({
  type: "object",
  properties: { a: { type: "string", pattern } },
});

/** Each with its worst-case argument. */
const BOMBS: readonly (readonly [name: string, Schema, argument: unknown])[] = [
  ["deep", nested(200, (items) => ({ type: "array", items })), []],
  ["deep_alternatives", nested(100, (inner) => ({ anyOf: [inner, {}] })), 1],
  ["wide", { type: "object", properties: Object.fromEntries(many(20_000, (n) => [`p${n}`, {}])) }, "x"],
  [
    "circle",
    {
      type: "object",
      $defs: { b: { $ref: "#/$defs/c" }, c: { $ref: "#/$defs/b" } },
      properties: { a: { $ref: "#/$defs/b" } },
    },
    1,
  ],
  ["itself", { type: "object", properties: { a: { $ref: "#/properties/a" } } }, 1],
  [
    "doubling",
    {
      type: "object",
      $defs: { ...doubling, d30: { type: "number" } },
      properties: { a: { $ref: "#/$defs/d0" } },
    },
    "x",
  ],
  [
    "long_list",
    { type: "object", properties: { a: { items: { enum: many(50_000, (n) => `v${n}`) } } } },
    many(1_000, () => "x"),
  ],
  ["pattern", withPattern("^(a+)+$"), `${"a".repeat(40)}!`],
  [
    "names",
    { type: "object", properties: { a: { patternProperties: { "^(([a-z])+.)+[A-Z]([a-z])+$": {} } } } },
    { ["a".repeat(40)]: 1 },
  ],
];

describe("schemas made to exhaust the program", () => {
  const folder = temporaryFolder();
  let runtime: GuardedRuntime;

  beforeAll(async () => {
    const honest = { name: "honest", description: "Reads a file.", inputSchema: { type: "object" as const } };
    const tools = [...BOMBS.map(([name, inputSchema]) => ({ name, inputSchema })), honest];
    const answers = Object.fromEntries(
      tools.map(({ name }) => [name, { result: { content: [{ type: "text", text: "ran" }] } }]),
    );
    const server = hostileServer(folder, "hostile", { tools: tools as ToolDefinition[], answers });
    runtime = await openGuarded({ servers: { hostile: server.entry } });
  });
  afterAll(async () => {
    await runtime.mcp.close();
    folder[Symbol.dispose]();
  });

  test("[T64] do not hide other tools of their server from either adapter", async () => {
    const offered = offeredToModels(runtime.mcp);
    for (const text of Object.values(offered)) expect(text).toContain("Reads a file.");
    expect(await runtime.mcp.callTool("mcp__hostile__honest", {})).toMatchObject({
      content: [{ text: "ran" }],
    });
  });

  test.each(BOMBS)("[T63][T64] end a call with an answer or a coded error: %s", async (name, _schema, a) => {
    const call = runtime.mcp.callTool({ server: "hostile", tool: name }, { a }, { audience: "model" });
    const ended = await call.then(
      ({ content }) => content,
      (error: { code?: string }) => error.code,
    );
    expect([
      [{ type: "text", text: expect.stringContaining("ran") }],
      "MCP_LIMIT_EXCEEDED",
      "MCP_ARGUMENTS_INVALID",
    ]).toContainEqual(ended);
  });
});
