import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import { ToolMessage } from "@langchain/core/messages";
import { type StructuredTool, tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { type LangchainToolsOptions, langchainTools } from "../src/index.ts";
import { type McpMiddlewareOptions, mcpMiddleware } from "../src/middleware.ts";
import { ScriptedModel } from "./scripted-model.ts";

const named = (...names: string[]): FakeTool[] => names.map((name) => ({ definition: { name } }));
const call = (name: string, args = {}) => [
  { tool: name.startsWith("mcp__") ? name : `mcp__fake__${name}`, args },
];
const toolMessages = (messages: readonly unknown[]) =>
  messages.filter((message) => ToolMessage.isInstance(message));

describe.each([langchainTools, mcpMiddleware])("$name", (make) => {
  it.each([{ schemaProfile: "open-ai" }, { include: "x" }, { exclude: [5] }])(
    "throws at once for %j, even without tools",
    (options) => {
      expect(() => make(createFakeToolSource([]), options as unknown as LangchainToolsOptions)).toThrow(
        expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
      );
    },
  );
});

it("mcpMiddleware throws at once for an unknown inputRequired value", () => {
  const options = { inputRequired: "interupt" } as unknown as McpMiddlewareOptions;
  expect(() => mcpMiddleware(createFakeToolSource([]), options)).toThrow(
    expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
  );
});

describe("an agent with mcpMiddleware", () => {
  it("offers the source's current tools at each step", async () => {
    const source = createFakeToolSource([]);
    const model = new ScriptedModel([call("b"), call("a"), "Done.", "Nothing."]);
    const agent = createAgent({ model, tools: [], middleware: [mcpMiddleware(source)] });
    const growing: FakeTool = {
      definition: { name: "b" },
      call: () => {
        source.replaceTools([growing, ...named("a")]);
        return { content: [{ type: "text", text: "b" }] };
      },
    };
    source.replaceTools([growing]);
    const { messages } = await agent.invoke({ messages: "Do it." });
    source.replaceTools([]);
    await agent.invoke({ messages: "And now?" });
    expect(model.offered).toEqual([
      ["mcp__fake__b"],
      ["mcp__fake__a", "mcp__fake__b"],
      ["mcp__fake__a", "mcp__fake__b"],
      [],
    ]);
    expect(source.calls).toMatchObject([{ tool: { tool: "b" } }, { tool: { tool: "a" } }]);
    expect(toolMessages(messages)).toMatchObject([{ status: "success" }, { status: "success" }]);
  });

  it("answers a call to a removed tool with MCP_TOOL_UNKNOWN and goes on", async () => {
    const source = createFakeToolSource([]);
    const vanishing: FakeTool = {
      definition: { name: "a" },
      call: () => {
        source.replaceTools(named("b"));
        return { content: [] };
      },
    };
    source.replaceTools([vanishing]);
    const model = new ScriptedModel([call("a"), call("a"), "Done."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(source)] });
    const { messages } = await agent.invoke({ messages: "Do it." });
    expect(messages.at(-1)?.text).toBe("Done.");
    expect(toolMessages(messages)[1]).toMatchObject({
      status: "error",
      content: expect.stringContaining("MCP_TOOL_UNKNOWN"),
    });
  });

  it("offers a tool added between two runs beside the existing one", async () => {
    const source = createFakeToolSource(named("a"));
    const model = new ScriptedModel(["One.", "Two."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(source)] });
    await agent.invoke({ messages: "Hello." });
    source.replaceTools(named("a", "b"));
    await agent.invoke({ messages: "Hello." });
    expect(model.offered).toEqual([["mcp__fake__a"], ["mcp__fake__a", "mcp__fake__b"]]);
  });

  it("offers its own tools, and a tool it shares with the middleware only once", async () => {
    const own = tool(async () => "mine", {
      name: "own",
      description: "",
      schema: { type: "object", properties: {} },
    });
    const source = createFakeToolSource(named("a"));
    const model = new ScriptedModel([[...call("a"), { tool: "own", args: {} }], "Done."]);
    const tools = [own, ...langchainTools(source)];
    const agent = createAgent({ model, tools, middleware: [mcpMiddleware(source)] });
    const { messages } = await agent.invoke({ messages: "Do it." });
    expect(model.offered[0]).toEqual(["own", "mcp__fake__a"]);
    expect(toolMessages(messages)).toMatchObject([{ content: "{}" }, { content: "mine" }]);
    expect(source.calls).toHaveLength(1);
  });

  it("answers a call to an unknown tool name with LangChain's own error", async () => {
    const model = new ScriptedModel([call("nobody"), "Done."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(createFakeToolSource(named("a")))] });
    const { messages } = await agent.invoke({ messages: "Do it." });
    expect(toolMessages(messages)).toMatchObject([
      { status: "error", content: expect.stringContaining("not a valid tool") },
    ]);
  });

  it("honours exclude, schemaProfile and onError", async () => {
    const failures: string[] = [];
    const source = createFakeToolSource([
      {
        definition: { name: "a", inputSchema: { type: "object", properties: { x: { const: 1 } } } },
        call: () => {
          throw new Error("secret");
        },
      },
      ...named("b"),
    ]);
    const model = new ScriptedModel([call("a", { x: 1 }), "Done."]);
    const middleware = mcpMiddleware(source, {
      exclude: ["b"],
      schemaProfile: "gemini",
      onError: (error) => {
        failures.push(error.code);
        return "Ask later.";
      },
    });
    const { messages } = await createAgent({ model, middleware: [middleware] }).invoke({
      messages: "Do it.",
    });
    const [offered] = model.boundTools as StructuredTool[];
    expect(offered?.name).toBe("mcp__fake__a");
    expect(offered?.schema).toMatchObject({ properties: { x: { description: "One of: 1." } } });
    expect(failures).toEqual(["MCP_INTERNAL"]);
    expect(toolMessages(messages)).toMatchObject([{ content: "Ask later." }]);
  });
});
