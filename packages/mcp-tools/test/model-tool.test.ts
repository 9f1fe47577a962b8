import { McpError } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createModelTool, type ModelToolOptions } from "../src/model-tool.ts";

const UNION = { type: "object" as const, anyOf: [{ required: ["id"] }, { required: ["name"] }] };

function toolOf(fake: FakeTool, options?: ModelToolOptions) {
  const source = createFakeToolSource([fake]);
  const [descriptor] = source.tools();
  if (descriptor === undefined) throw new Error("The source offers no tool.");
  return { source, tool: createModelTool(source, descriptor, options) };
}

describe("a tool for models", () => {
  it("unwraps the arguments of a fitted schema for check and call", async () => {
    const { source, tool } = toolOf(
      { definition: { name: "find", inputSchema: UNION } },
      { schemaProfile: "openai" },
    );
    expect(tool.fitted.isWrapped).toBe(true);
    expect(tool.check({ input: { id: "a" } })).toBeUndefined();
    expect(tool.check({ input: {} })?.code).toBe("MCP_ARGUMENTS_INVALID");
    await tool.call({ input: { id: "a" } });
    expect(source.calls.map(({ args }) => args)).toEqual([{ id: "a" }]);
  });

  it("does not send arguments that the server's schema refuses", async () => {
    const { source, tool } = toolOf({ definition: { name: "find", inputSchema: UNION } });
    expect(await tool.call({})).toMatchObject({ isError: true, mcpError: { code: "MCP_ARGUMENTS_INVALID" } });
    expect(source.calls).toEqual([]);
  });

  it("passes approved and onProgress on to the source", async () => {
    const { source, tool } = toolOf({ definition: { name: "find" } });
    const onProgress = () => {};
    await tool.call({}, { approved: "digest", onProgress });
    expect(source.calls[0]?.options).toMatchObject({ approved: "digest", onProgress, audience: "model" });
  });

  it("turns a refusal of the adapter into a failed call, and sends nothing", () => {
    const { source, tool } = toolOf({ definition: { name: "find" } });
    const error = new McpError("MCP_CALL_DENIED", "Nobody was asked.", { outcome: "not-sent" });
    expect(tool.refuse(error)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Nobody was asked.") }],
      mcpError: { code: "MCP_CALL_DENIED", outcome: "not-sent" },
    });
    expect(source.calls).toEqual([]);
  });

  it("adds an empty content array to a result without content", async () => {
    const { tool } = toolOf({ definition: { name: "find" }, call: () => ({ _meta: {} }) as never });
    expect(await tool.call({})).toEqual({ content: [], _meta: {} });
  });

  it("shows the model the text from onError, cleaned of control characters", async () => {
    const seen: unknown[] = [];
    const { tool } = toolOf(
      {
        definition: { name: "find" },
        call: () => {
          throw new McpError("MCP_SESSION_LOST", "The connection ended.");
        },
      },
      {
        onError: (error, { originalName }) => {
          seen.push([error.code, originalName]);
          return "Gone.\u001b[31m\nTry later.";
        },
      },
    );
    expect(await tool.call({})).toMatchObject({
      content: [{ text: "Gone. Try later." }],
      mcpError: { code: "MCP_SESSION_LOST" },
    });
    expect(seen).toEqual([["MCP_SESSION_LOST", "find"]]);
  });
});

it.each(["zz", "__proto__", "constructor", null, 5])(
  "createModelTool throws for the unknown profile %j",
  (profile) => {
    const options = { schemaProfile: profile } as unknown as ModelToolOptions;
    const fake = { definition: { name: "find", inputSchema: UNION } };
    expect(() => toolOf(fake, options)).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID", message: expect.stringContaining('"openai"') }),
    );
  },
);
