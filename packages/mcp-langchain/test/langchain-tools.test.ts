import { type CallOptions, McpError, type ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import { BaseMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { describe, expect, it, vi } from "vitest";
import { isFailedCall, langchainTools } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { askToolNode, CALL, SETUPS } from "./setups.ts";

const answers = (result: ToolCallResult): FakeTool => ({ definition: { name: "ask" }, call: () => result });

const fails = (error: unknown): FakeTool => ({
  definition: { name: "ask" },
  call: () => {
    throw error;
  },
});

const TEXT: ToolCallResult = { content: [{ type: "text", text: "42" }], _meta: { "a/b": 1 } };
const REFUSAL: ToolCallResult = { content: [{ type: "text", text: "no such row" }], isError: true };
const LOST = new McpError("MCP_SESSION_LOST", "The connection ended.", {
  server: "fake",
  tool: "ask",
  outcome: "unknown",
  cause: new Error("token=s3cret"),
});

describe.each(SETUPS)("through $name", ({ ask }) => {
  it("a call reaches the source, and its message says the text once", async () => {
    const source = createFakeToolSource([answers(TEXT)]);
    const message = await ask(source);
    expect(source.calls).toMatchObject([
      { tool: { server: "fake", tool: "ask" }, args: { q: 1 }, options: { audience: "model" } },
    ]);
    expect(message).toMatchObject({
      status: "success",
      content: "42",
      name: "mcp__fake__ask",
      tool_call_id: "call-0",
    });
    expect(message.artifact).toEqual({ ...TEXT, content: [] });
  });

  it("[T26] an image becomes a standard content block", async () => {
    const result: ToolCallResult = {
      content: [
        { type: "text", text: "A dot:" },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      ],
    };
    const message = await ask(createFakeToolSource([answers(result)]), { tools: { media: { image: true } } });
    expect(message.status).toBe("success");
    expect(message.contentBlocks).toEqual([
      { type: "text", text: "A dot:" },
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
    ]);
    // Marked as made of standard blocks, it would lose its images on the way to OpenAI, or its tie to the call.
    expect(message.response_metadata).not.toHaveProperty("output_version");
  });

  it("[T25] structured content without other content reaches the model as JSON", async () => {
    const result: ToolCallResult = { content: [], structuredContent: { rows: [1] } };
    const message = await ask(createFakeToolSource([answers(result)]));
    expect(message.content).toBe('{"rows":[1]}');
    expect(message.artifact).toEqual(result);
  });

  it("[T23] an isError result becomes a message with status error, and the run goes on", async () => {
    const message = await ask(createFakeToolSource([answers(REFUSAL)]));
    expect(message).toMatchObject({
      status: "error",
      content: "The tool reported an error: no such row",
      name: "mcp__fake__ask",
      tool_call_id: "call-0",
    });
    expect(message.artifact).toEqual({ ...REFUSAL, content: [] });
  });

  it("a failed call becomes a message with status error, and the run goes on", async () => {
    const message = await ask(createFakeToolSource([fails(LOST)]));
    expect(message).toMatchObject({ status: "error", tool_call_id: "call-0" });
    expect(message.content).toContain("may have run");
    expect(message.content).not.toContain("fix your mistakes");
    expect(isFailedCall(message.artifact)).toBe(true);
    expect(message.artifact).toMatchObject({ mcpError: { code: "MCP_SESSION_LOST" } });
    expect(JSON.stringify(message)).not.toContain("s3cret");
  });

  it("a tool whose schema LangChain cannot check can be called", async () => {
    const inputSchema = {
      type: "object" as const,
      properties: { q: { pattern: "^[\\w-\\.]+$" }, other: { $ref: "other.json" } },
    };
    const source = createFakeToolSource([{ definition: { name: "ask", inputSchema } }]);
    expect((await ask(source)).content).toBe('{"q":1}');
  });
});

const abortable = (controller: AbortController, seen: CallOptions[]): FakeTool => ({
  definition: { name: "ask" },
  call: (_args, options) => {
    seen.push(options);
    controller.abort();
    return new Promise(() => {});
  },
});

describe("an abort", () => {
  it.each(SETUPS.filter(({ ask }) => ask !== askToolNode))(
    "ends a call through $name and reaches the source",
    async ({ ask }) => {
      const controller = new AbortController();
      const seen: CallOptions[] = [];
      const run = ask(createFakeToolSource([abortable(controller, seen)]), { signal: controller.signal });
      await expect(run).rejects.toThrow();
      expect(seen[0]?.signal?.aborted).toBe(true);
    },
  );

  it("reaches the source through a ToolNode, which answers with an error message", async () => {
    const controller = new AbortController();
    const seen: CallOptions[] = [];
    const source = createFakeToolSource([abortable(controller, seen)]);
    const message = await askToolNode(source, { signal: controller.signal });
    expect(seen[0]?.signal?.aborted).toBe(true);
    expect(message.status).toBe("error");
  });

  it("rejects tool.invoke with MCP_ABORTED", async () => {
    const controller = new AbortController();
    const [tool] = langchainTools(createFakeToolSource([abortable(controller, [])]));
    await expect(tool?.invoke(CALL, { signal: controller.signal })).rejects.toMatchObject({
      code: "MCP_ABORTED",
    });
  });

  it.each(["invoke", "withConfig"] as const)("results from a timeout passed to %s", async (way) => {
    const seen: CallOptions[] = [];
    const [tool] = langchainTools(createFakeToolSource([abortable(new AbortController(), seen)]));
    const limit = { timeout: 1 };
    const run = way === "invoke" ? tool?.invoke(CALL, limit) : tool?.withConfig(limit).invoke(CALL);
    await expect(run).rejects.toMatchObject({ code: "MCP_ABORTED" });
    expect(seen[0]?.signal?.aborted).toBe(true);
  });

  it("is not shown to the model", async () => {
    const controller = new AbortController();
    const model = new ScriptedModel([[{ tool: CALL.name, args: {} }], "Done."]);
    const tools = langchainTools(createFakeToolSource([abortable(controller, [])]));
    const run = createAgent({ model, tools }).invoke({ messages: "Do it." }, { signal: controller.signal });
    await expect(run).rejects.toThrow();
    expect(model.prompts).toHaveLength(1);
  });
});

describe("a tool invoked directly", () => {
  it("returns only the content for plain arguments", async () => {
    const [tool] = langchainTools(createFakeToolSource([answers(TEXT)]));
    expect(await tool?.invoke({ q: 1 })).toBe("42");
  });

  it("returns an error as a message even for plain arguments", async () => {
    const [tool] = langchainTools(createFakeToolSource([answers(REFUSAL)]));
    expect(await tool?.invoke({ q: 1 })).toMatchObject({
      status: "error",
      content: "The tool reported an error: no such row",
    });
  });

  it.each([[[1]], ["text"], [7]])("[T20] does not send input that is not an object: %j", async (input) => {
    const source = createFakeToolSource([answers(TEXT)]);
    expect(await langchainTools(source)[0]?.invoke(input as never)).toMatchObject({
      status: "error",
      content: expect.stringContaining("MCP_ARGUMENTS_INVALID"),
    });
    expect(source.calls).toEqual([]);
  });

  it("reports its start and end to callbacks once", async () => {
    const events: string[] = [];
    const [tool] = langchainTools(createFakeToolSource([answers(TEXT)]));
    const handler = {
      handleToolStart: () => void events.push("start"),
      handleToolEnd: () => void events.push("end"),
    };
    await tool?.invoke(CALL, { callbacks: [handler] });
    expect(events).toEqual(["start", "end"]);
  });
});

describe("a call without callbacks", () => {
  const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
  const config = { metadata: { mine: 1 }, tags: ["mine"], configurable: { thread_id: "1" } };

  it.each<[string, ToolCallResult]>([
    ["a text", TEXT],
    ["an image", { content: [image] }],
    ["structured content", { content: [], structuredContent: { rows: [1] } }],
    ["no content", { content: [] }],
    ["an error", REFUSAL],
  ])("gets the same answer for %s, member by member, as a call with callbacks", async (_name, result) => {
    const [tool] = langchainTools(createFakeToolSource([answers(result)]));
    const ask = async (input: typeof CALL | object, watching: object) =>
      stored((await tool?.invoke(input as never, { ...config, ...watching })) as object);
    for (const input of [CALL, { ...CALL, id: "" }, { ...CALL, id: undefined }, CALL.args])
      expect(await ask(input, {})).toStrictEqual(await ask(input, { callbacks: [{}] }));
  });

  it("gets the same answer through tool.call", async () => {
    const [tool] = langchainTools(createFakeToolSource([answers(TEXT)]));
    expect(await tool?.call(CALL)).toMatchObject({ tool_call_id: CALL.id, content: "42" });
    expect(await tool?.call(CALL.args)).toBe("42");
    expect(await tool?.call(undefined as never)).toBe("42");
  });

  it("is logged once LANGCHAIN_VERBOSE is set", async () => {
    const written = vi.spyOn(console, "log").mockImplementation(() => {});
    const [tool] = langchainTools(createFakeToolSource([answers(TEXT)]));
    await tool?.invoke(CALL);
    expect(written).not.toHaveBeenCalled();
    vi.stubEnv("LANGCHAIN_VERBOSE", "true");
    await tool?.invoke(CALL);
    expect(written).toHaveBeenCalled();
    vi.unstubAllEnvs();
    written.mockRestore();
  });
});

/** Every member of a message or plain value, for comparison. */
function stored(value: object): object {
  const members = value instanceof BaseMessage ? { ...value, kwargs: value.toJSON() } : value;
  return { members, json: JSON.stringify(value), keys: Object.keys(value) };
}

describe("a tool changed between two calls", () => {
  it.each<[string, Partial<StructuredTool>]>([
    ["name", { name: "other" }],
    ["metadata", { metadata: { mine: 1 } }],
  ])("answers with its new %s", async (_name, change) => {
    const [tool] = langchainTools(createFakeToolSource([answers(TEXT)]));
    if (tool === undefined) throw new Error("There is no tool.");
    expect(await tool.invoke(CALL)).toMatchObject({ name: CALL.name, metadata: { server: "fake" } });
    Object.assign(tool, change);
    expect(await tool.invoke(CALL)).toMatchObject(change);
  });

  it("notifies callbacks added after the first call", async () => {
    const events: string[] = [];
    const [tool] = langchainTools(createFakeToolSource([answers(TEXT)]));
    if (tool === undefined) throw new Error("There is no tool.");
    await tool.invoke(CALL);
    tool.callbacks = [{ handleToolStart: () => void events.push("start") }];
    tool.tags = ["tagged"];
    await tool.invoke(CALL);
    expect(events).toEqual(["start"]);
  });
});

describe("a set of tools", () => {
  it("shows models each tool's name, description, and the unchanged schema under the profile none", async () => {
    const inputSchema = {
      type: "object" as const,
      properties: { id: { $ref: "#/$defs/id" } },
      $defs: { id: { type: "string" } },
      "x-vendor": { kept: true },
    };
    const definition = { name: "ask", description: "Asks.", inputSchema };
    const model = new ScriptedModel(["Done."]);
    const tools = langchainTools(createFakeToolSource([{ definition }]), { schemaProfile: "none" });
    await createAgent({ model, tools }).invoke({ messages: "Hello." });
    expect(model.boundTools).toMatchObject([{ name: "mcp__fake__ask", description: "Asks." }]);
    expect(tools[0]?.schema).toBe(inputSchema);
  });

  it("is a snapshot, and a tool since removed answers with MCP_TOOL_UNKNOWN", async () => {
    const source = createFakeToolSource([answers(TEXT)]);
    const [tool] = langchainTools(source);
    source.replaceTools([{ definition: { name: "other" } }]);
    expect(await tool?.invoke(CALL)).toMatchObject({
      status: "error",
      content: expect.stringContaining("MCP_TOOL_UNKNOWN"),
    });
    expect(langchainTools(source).map(({ name }) => name)).toEqual(["mcp__fake__other"]);
  });

  it("holds only the selected tools", () => {
    const source = createFakeToolSource(
      ["read", "write", "delete"].map((name) => ({ definition: { name } })),
    );
    const tools = langchainTools(source, { include: ["read", "mcp__fake__*te"], exclude: ["delete"] });
    expect(tools.map(({ name }) => name)).toEqual(["mcp__fake__read", "mcp__fake__write"]);
  });
});
