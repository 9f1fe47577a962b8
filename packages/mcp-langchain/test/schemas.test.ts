import type { ToolInputSchema } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { SETUPS } from "./setups.ts";

const asking = (inputSchema: object) =>
  createFakeToolSource([{ definition: { name: "ask", inputSchema: inputSchema as ToolInputSchema } }]);

/** A backtracking engine takes practically forever to match this. */
const CATASTROPHE = { type: "object", properties: { q: { pattern: "^(a+)+$" } } };
const STALLING = { q: `${"a".repeat(50_000)}!` };

describe.each(SETUPS)("through $name", ({ ask }) => {
  it("[T63] a catastrophic pattern stalls nothing: the server judges", async () => {
    const source = asking(CATASTROPHE);
    await ask(source, { args: STALLING });
    expect(source.calls).toMatchObject([{ args: STALLING }]);
  });

  it("[T19] arguments invalid under the server's schema are not sent, and the model reads why", async () => {
    const source = asking({ type: "object", required: ["q", "r"] });
    const message = await ask(source);
    expect(message).toMatchObject({ status: "error", tool_call_id: "call-0" });
    expect(message.text).toContain("MCP_ARGUMENTS_INVALID");
    expect(message.text).toContain('"r"');
    expect(message.text).not.toContain("fix your mistakes");
    expect(source.calls).toEqual([]);
  });

  it.each<[string, object]>([
    ["an unresolvable reference", { $ref: "other.json" }],
    ["a pattern that does not compile", { type: "string", pattern: "^[\\w-\\.]+$" }],
    ["a reference to itself", { $ref: "#" }],
    ["an unknown type", { type: "colour" }],
  ])("a tool whose schema has %s can be called", async (_name, other) => {
    const source = asking({ type: "object", properties: { other } });
    expect((await ask(source)).text).toBe('{"q":1}');
  });

  it.each<[string, object]>([
    ["is empty", {}],
    ["has no type", { properties: { q: {} } }],
    ["is an anyOf", { anyOf: [{ type: "object", required: ["q"] }, { type: "string" }] }],
  ])("a tool whose schema root %s accepts an object", async (_name, inputSchema) => {
    expect((await ask(asking(inputSchema))).text).toBe('{"q":1}');
  });
});

describe("the schema shown to models", () => {
  it.each([{}, { type: "string" }, { properties: { q: {} } }])(
    "always has type object at its root: %j",
    (schema) => {
      const [tool] = langchainTools(asking(schema));
      expect(tool?.schema).toMatchObject({ type: "object" });
    },
  );

  it("has no root anyOf when fitted to OpenAI", async () => {
    const source = asking({ anyOf: [{ type: "object", properties: { q: {} } }, { type: "object" }] });
    const [tool] = langchainTools(source, { schemaProfile: "openai" });
    expect(tool?.schema).not.toHaveProperty("anyOf");
  });
});
