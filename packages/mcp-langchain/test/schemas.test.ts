import type { ToolInputSchema } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { SETUPS } from "./setups.ts";

const asking = (inputSchema: object) =>
  createFakeToolSource([{ definition: { name: "ask", inputSchema: inputSchema as ToolInputSchema } }]);

/** Backtracking engines need longer for it than anybody waits. */
const CATASTROPHE = { type: "object", properties: { q: { pattern: "^(a+)+$" } } };
const STALLING = { q: `${"a".repeat(50_000)}!` };

describe.each(SETUPS)("in $name", ({ ask }) => {
  it("[T63] a pattern that would stall LangChain's own check stalls nothing, and what it refuses is not sent", async () => {
    const source = asking(CATASTROPHE);
    const message = await ask(source, { args: STALLING });
    expect(message.status).toBe("error");
    expect(message.text).toMatch(/MCP_(ARGUMENTS_INVALID|LIMIT_EXCEEDED)/);
    expect(source.calls).toEqual([]);
  });

  it("[T19] arguments that the server's schema refuses are not sent, and the model reads what is wrong", async () => {
    const source = asking({ type: "object", required: ["q", "r"] });
    const message = await ask(source);
    expect(message).toMatchObject({ status: "error", tool_call_id: "call-0" });
    expect(message.text).toContain("MCP_ARGUMENTS_INVALID");
    expect(message.text).toContain('"r"');
    expect(message.text).not.toContain("fix your mistakes");
    expect(source.calls).toEqual([]);
  });

  it.each<[string, object]>([
    ["a reference that cannot be followed", { $ref: "other.json" }],
    ["a pattern that does not compile", { type: "string", pattern: "^[\\w-\\.]+$" }],
    ["a reference to itself", { $ref: "#" }],
    ["a kind of schema nobody knows", { type: "colour" }],
  ])("a tool whose schema has %s can be called", async (_name, other) => {
    const source = asking({ type: "object", properties: { other } });
    expect((await ask(source)).text).toBe('{"q":1}');
  });

  it.each<[string, object]>([
    ["is empty", {}],
    ["has no type", { properties: { q: {} } }],
    ["is one of several", { anyOf: [{ type: "object", required: ["q"] }, { type: "string" }] }],
  ])("a tool whose root %s takes an object like any other", async (_name, inputSchema) => {
    expect((await ask(asking(inputSchema))).text).toBe('{"q":1}');
  });
});

describe("the schema models see", () => {
  it.each([{}, { type: "string" }, { properties: { q: {} } }])(
    "always has an object at its root: %j",
    (schema) => {
      const [tool] = langchainTools(asking(schema));
      expect(tool?.schema).toMatchObject({ type: "object" });
    },
  );

  it("is fitted to the provider, and what it wrapped is taken out again", async () => {
    const source = asking({ anyOf: [{ type: "object", properties: { q: {} } }, { type: "object" }] });
    const [tool] = langchainTools(source, { schemaProfile: "openai" });
    expect(tool?.schema).not.toHaveProperty("anyOf");
  });
});
