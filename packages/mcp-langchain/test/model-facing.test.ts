import type { ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type StructuredTool, tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, llmToolSelectorMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { type LangchainToolsOptions, langchainTools } from "../src/index.ts";
import { type McpMiddlewareOptions, mcpMiddleware } from "../src/middleware.ts";
import { ScriptedModel, type Step } from "./scripted-model.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SHOT: ToolCallResult = {
  content: [
    { type: "text", text: "Here it is." },
    { type: "image", data: PNG, mimeType: "image/png" },
    { type: "audio", data: "AAEC", mimeType: "audio/wav" },
  ],
};
const NAMED =
  "Here it is.\n\n[image: image/png, 70 bytes, not shown]\n\n[audio: audio/wav, 3 bytes, not shown]";
const IMAGE_SHOWN = [
  { type: "text", text: "Here it is." },
  { type: "image", mimeType: "image/png", data: PNG },
  { type: "text", text: "[audio: audio/wav, 3 bytes, not shown]" },
];
const answers = (result: ToolCallResult, definition: Partial<FakeTool["definition"]> = {}) =>
  createFakeToolSource([{ definition: { name: "ask", ...definition }, call: () => result }]);
const ASK: Step = [{ tool: "mcp__fake__ask", args: {} }];
const ASK_READ: Step = [{ tool: "mcp__fake__read", args: {} }];
const toolMessage = (messages: readonly unknown[]) =>
  messages.findLast((message) => ToolMessage.isInstance(message));

describe("media", () => {
  it.each<[string, LangchainToolsOptions, unknown]>([
    ["an unknown model is shown none", {}, NAMED],
    ["Anthropic is shown images", { model: "anthropic:claude-sonnet-4-5" }, IMAGE_SHOWN],
    ["so is a model that says it is Anthropic's", { model: new ScriptedModel([], "anthropic") }, IMAGE_SHOWN],
    [
      "so is one with settings bound to it",
      { model: new ScriptedModel([], "anthropic").withConfig({}) },
      IMAGE_SHOWN,
    ],
    ["OpenAI is shown none in Chat Completions", { model: "openai:gpt-5" }, NAMED],
    [
      "OpenAI is shown images in Responses",
      { model: Object.assign(new ScriptedModel([], "openai"), { useResponsesApi: true }) },
      IMAGE_SHOWN,
    ],
    [
      "LangChain's package for Google passes none on",
      { model: new ScriptedModel([], "googlegenerativeai") },
      NAMED,
    ],
    ["the option decides", { model: "openai:gpt-5", media: { image: true } }, IMAGE_SHOWN],
  ])("%s", async (_title, options, content) => {
    const [tool] = langchainTools(answers(SHOT), { artifact: "full", ...options });
    const message = await tool?.invoke({ type: "tool_call", id: "1", name: "mcp__fake__ask", args: {} });
    expect(message).toMatchObject({ content, artifact: SHOT });
  });

  it("are shown to the model of each request, and stored as text once", async () => {
    const checkpointer = new MemorySaver();
    const thread = { configurable: { thread_id: "1" } };
    const middleware = [mcpMiddleware(answers(SHOT))];
    const seeing = new ScriptedModel([ASK, "Done."], "anthropic");
    const { messages } = await createAgent({ model: seeing, middleware, checkpointer }).invoke(
      { messages: "Go." },
      thread,
    );
    expect(toolMessage(seeing.prompts[1] ?? [])).toMatchObject({
      content: IMAGE_SHOWN,
      tool_call_id: "call-0",
    });
    expect(toolMessage(messages)).toMatchObject({ content: NAMED });
    const blind = new ScriptedModel(["Done."], "openai");
    await createAgent({ model: blind, middleware, checkpointer }).invoke({ messages: "And?" }, thread);
    expect(toolMessage(blind.prompts[0] ?? [])).toMatchObject({ content: NAMED });
  });

  it("stay away if another middleware has cleared the message", async () => {
    const clearing = createMiddleware({
      name: "clearing",
      wrapModelCall: (request, handler) =>
        handler({
          ...request,
          messages: request.messages.map((message) =>
            ToolMessage.isInstance(message) ? Object.assign(message, { content: "[cleared]" }) : message,
          ),
        }),
    });
    const model = new ScriptedModel([ASK, "Done."], "anthropic");
    const agent = createAgent({ model, middleware: [clearing, mcpMiddleware(answers(SHOT))] });
    await agent.invoke({ messages: "Go." });
    expect(toolMessage(model.prompts[1] ?? [])).toMatchObject({ content: "[cleared]" });
  });
});

describe("a schema", () => {
  const UNION = {
    type: "object" as const,
    allOf: [{ properties: { id: { type: "string" } } }, { required: ["id"] }],
    properties: { n: { enum: [1, 2] } },
  };

  it("is fitted to the model of the request, and its arguments come back in either form", async () => {
    const source = answers({ content: [] }, { inputSchema: UNION });
    const middleware = [mcpMiddleware(source)];
    const run = async (kind: string, args: Record<string, unknown>) => {
      const model = new ScriptedModel([[{ tool: "mcp__fake__ask", args }], "Done."], kind);
      await createAgent({ model, middleware }).invoke({ messages: "Go." });
      return (model.boundTools[0] as StructuredTool).schema;
    };
    expect(await run("openai", { input: { id: "a", n: 1 } })).toMatchObject({ required: ["input"] });
    expect(await run("googlegenerativeai", { id: "b" })).toMatchObject({
      properties: { n: { description: "One of: 1,2." } },
    });
    expect(source.calls.map(({ args }) => args)).toEqual([{ id: "a", n: 1 }, { id: "b" }]);
  });
});

describe("a tool can be copied and wrapped", () => {
  const schema = { type: "object", properties: { q: { type: "string", description: "What." } } };
  it.each<[string, (tool: StructuredTool) => StructuredTool]>([
    ["as it is", (tool) => tool],
    [
      "with Object.assign along its prototype",
      (tool) => Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { description: "Better." }),
    ],
    ["by a Proxy", (tool) => new Proxy(tool, {})],
    ["with Object.create", (tool) => Object.create(tool, { description: { value: "Better." } })],
    ["with another schema", (tool) => Object.assign(tool, { schema })],
    ["with another schema on a copy", (tool) => Object.assign(Object.create(tool), { schema })],
  ])("%s", async (_title, change) => {
    const source = answers({ content: [{ type: "text", text: "Here." }] });
    const [tool] = langchainTools(source);
    if (tool === undefined) throw new Error("The source offers no tool.");
    const changed = change(tool);
    expect(changed.schema).toMatchObject({ type: "object" });
    expect(await changed.invoke({ q: 1 })).toBe("Here.");
    const model = new ScriptedModel([[{ tool: "mcp__fake__ask", args: { q: 2 } }], "Done."]);
    const { messages } = await createAgent({ model, tools: [changed] }).invoke({ messages: "Go." });
    expect(toolMessage(messages)).toMatchObject({ content: "Here." });
    expect(source.calls.map(({ args }) => args)).toEqual([{ q: 1 }, { q: 2 }]);
  });

  it("and written as JSON without the runtime behind it", () => {
    const [tool] = langchainTools(answers({ content: [] }));
    expect(JSON.stringify({ ...tool })).not.toContain("descriptor");
  });
});

it("arguments that are undefined are absent", async () => {
  const inputSchema = {
    type: "object" as const,
    properties: { limit: { type: "number" }, in: { type: "object", properties: { a: { type: "string" } } } },
  };
  const source = answers({ content: [] }, { inputSchema });
  await langchainTools(source)[0]?.invoke({
    limit: undefined,
    in: { a: undefined, b: 1 },
    list: [{ c: undefined }],
  });
  expect(source.calls.map(({ args }) => args)).toStrictEqual([{ in: { b: 1 }, list: [{}] }]);
});

describe("an unknown name", () => {
  it("is answered with the tools that there are, the likely ones first, by all middleware", async () => {
    const named = (server: string, ...names: string[]) =>
      createFakeToolSource(names.map((name) => ({ definition: { name }, server })));
    const one = mcpMiddleware(named("fake", "list", "read"), { name: "One" });
    const other = mcpMiddleware(named("fake", "write"), { name: "Other" });
    const model = new ScriptedModel([[{ tool: "read", args: {} }], "Done."]);
    const { messages } = await createAgent({ model, middleware: [one, other] }).invoke({ messages: "Go." });
    expect(toolMessage(messages)).toMatchObject({
      status: "error",
      content:
        "Error: read is not a valid tool, try one of [mcp__fake__read, mcp__fake__write, mcp__fake__list].",
    });
  });
});

describe("calls of a stopped turn", () => {
  it("are answered before the next request", async () => {
    const open = new AIMessage({ content: "", tool_calls: [{ id: "c1", name: "mcp__fake__ask", args: {} }] });
    const model = new ScriptedModel(["Done."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(answers({ content: [] }))] });
    await agent.invoke({ messages: [new HumanMessage("Go."), open, new HumanMessage("Never mind.")] });
    expect(model.prompts[0]?.map((message) => message.type)).toEqual(["human", "ai", "tool", "human"]);
    expect(toolMessage(model.prompts[0] ?? [])).toMatchObject({
      tool_call_id: "c1",
      status: "error",
      content: expect.stringContaining("may have run"),
    });
  });
});

describe("the artifact", () => {
  const LONG = "abcdefghij".repeat(400);
  const invoke = async (result: ToolCallResult) => {
    const [tool] = langchainTools(answers(result), { artifact: "rest" });
    return (await tool?.invoke({
      type: "tool_call",
      id: "1",
      name: "mcp__fake__ask",
      args: {},
    })) as ToolMessage;
  };
  it("holds no text twice by default, and all of it with artifact: full", async () => {
    const result: ToolCallResult = {
      content: [
        { type: "text", text: LONG },
        { type: "resource_link", uri: "file:///a", name: "a", size: 7 },
      ],
      structuredContent: { text: LONG },
    };
    const [byDefault, full] = [
      langchainTools(answers(result)),
      langchainTools(answers(result), { artifact: "full" }),
    ];
    const call = { type: "tool_call", id: "1", name: "mcp__fake__ask", args: {} } as const;
    expect(await byDefault[0]?.invoke(call)).toMatchObject({
      artifact: { content: [result.content[1]], structuredContent: { text: LONG } },
    });
    expect(await full[0]?.invoke(call)).toMatchObject({ artifact: result });
  });

  it("has an image that the message shows no second time, and one that it names whole", async () => {
    const call = { type: "tool_call", id: "1", name: "mcp__fake__ask", args: {} } as const;
    const [seeing] = langchainTools(answers(SHOT), { model: "anthropic:claude-sonnet-4-5" });
    const [audio] = SHOT.content.filter(({ type }) => type === "audio");
    expect(await seeing?.invoke(call)).toMatchObject({ artifact: { content: [audio] } });
    const [blind] = langchainTools(answers(SHOT));
    expect(await blind?.invoke(call)).toMatchObject({ artifact: SHOT });
  });

  it("keeps with artifact: rest what the message does not say", async () => {
    const text = await invoke({
      content: [{ type: "text", text: LONG }],
      structuredContent: { text: LONG, rows: 3 },
      _meta: { "x/y": 1 },
    });
    expect(text).toMatchObject({
      content: `${LONG}\n\n{"rows":3}`,
      artifact: { content: [], structuredContent: { rows: 3 }, _meta: { "x/y": 1 } },
    });
    expect(JSON.stringify(text.artifact)).not.toContain(LONG);
    const media = await invoke(SHOT);
    expect(media.artifact).toEqual(SHOT);
    const secret: ToolCallResult = {
      content: [
        { type: "text", text: "For you.", annotations: { audience: ["user"] } },
        { type: "text", text: "Done." },
      ],
    };
    expect(await invoke(secret)).toMatchObject({
      content: "Done.",
      artifact: { content: [secret.content[0]] },
    });
    const failed = await invoke({ content: [{ type: "text", text: LONG }], isError: true });
    expect(failed).toMatchObject({ status: "error", artifact: { content: [], isError: true } });
  });
});

describe("a failed call with throwErrors", () => {
  const failing = () => answers({ isError: true, content: [{ type: "text", text: "no such row" }] });
  it("counts as failed for callbacks, and the run of an agent goes on", async () => {
    const errors: string[] = [];
    const callbacks = [{ handleToolError: (error: Error) => void errors.push(error.message) }];
    const model = new ScriptedModel([ASK, "Done."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(failing(), { throwErrors: true })] });
    const { messages } = await agent.invoke({ messages: "Go." }, { callbacks });
    expect(toolMessage(messages)).toMatchObject({
      status: "error",
      content: "The tool reported an error: no such row",
    });
    expect(messages.at(-1)?.text).toBe("Done.");
    expect(errors).toEqual(["The tool reported an error: no such row"]);
  });

  it("rejects when the tool is invoked alone", async () => {
    const [tool] = langchainTools(failing(), { throwErrors: true });
    await expect(tool?.invoke({})).rejects.toThrow("no such row");
  });
});

/** A model that picks tools by name, for LangChain's selector. */
class Selecting extends ScriptedModel {
  picked: readonly string[] = [];

  override withStructuredOutput(): never {
    return { invoke: async () => ({ tools: this.picked }) } as never;
  }
}

describe.each(["after", "before"])("a middleware %s mcpMiddleware", (place) => {
  const listOf = (own: ReturnType<typeof mcpMiddleware>, guest: ReturnType<typeof createMiddleware>) =>
    place === "after" ? [own, guest] : [guest, own];

  it("chooses by role, name, metadata and schema among the tools that are known when the agent is made", async () => {
    const source = createFakeToolSource(["read", "delete"].map((name) => ({ definition: { name } })));
    const seen: unknown[] = [];
    const filter = createMiddleware({
      name: "filter",
      wrapModelCall: (request, handler) => {
        const [first] = request.tools;
        const { name, description, schema, metadata } = first as StructuredTool;
        seen.push({ name, description, schema, server: metadata?.server });
        // Copies, as some middleware makes them.
        const tools = request.tools.filter((tool) => !String(tool.name).includes("delete"));
        return handler({
          ...request,
          tools: place === "before" ? tools.map((tool) => ({ ...tool })) : tools,
        });
      },
    });
    const model = new ScriptedModel([ASK_READ, "Done."]);
    const middleware = listOf(mcpMiddleware(source), filter as never);
    const { messages } = await createAgent({ model, middleware }).invoke({ messages: "Go." });
    expect(seen[0]).toMatchObject({ name: "mcp__fake__delete", schema: { type: "object" }, server: "fake" });
    expect(model.offered).toEqual([["mcp__fake__read"], ["mcp__fake__read"]]);
    expect(toolMessage(messages)).toMatchObject({ status: "success" });
    expect(source.calls).toHaveLength(1);
  });

  it("such as LangChain's own selector, asks a model which it needs", async () => {
    const source = createFakeToolSource(["read", "write", "list"].map((name) => ({ definition: { name } })));
    const choosing = Object.assign(new Selecting([]), { picked: ["mcp__fake__list"] });
    const selector = llmToolSelectorMiddleware({ model: choosing, maxTools: 1 } as never);
    const model = new ScriptedModel(["Done."]);
    const middleware = listOf(mcpMiddleware(source), selector as never);
    await createAgent({ model, middleware }).invoke({ messages: "Go." });
    expect(model.offered).toEqual([["mcp__fake__list"]]);
  });

  it("such as LangChain's own selector, keeps the search if it is told to", async () => {
    const source = createFakeToolSource(["read", "write", "list"].map((name) => ({ definition: { name } })));
    const choosing = Object.assign(new Selecting([]), { picked: ["mcp__fake__list"] });
    const options = { model: choosing, maxTools: 1, alwaysInclude: ["search_tools"] };
    const model = new ScriptedModel([[{ tool: "search_tools", args: { query: "list" } }], "Done."]);
    const middleware = listOf(
      mcpMiddleware(source, { search: "always" }),
      llmToolSelectorMiddleware(options as never) as never,
    );
    await createAgent({ model, middleware }).invoke({ messages: "Go." });
    expect(model.offered[0]).toEqual(["search_tools"]);
    expect(new Set(model.offered[1])).toEqual(new Set(["search_tools", "mcp__fake__list"]));
  });
});

it("a tool that comes after the agent was made is offered, whatever stands before the middleware", async () => {
  const source = createFakeToolSource([{ definition: { name: "a" } }]);
  const guest = createMiddleware({
    name: "guest",
    wrapModelCall: (request, handler) => handler({ ...request, tools: request.tools.slice(1) }),
  });
  const model = new ScriptedModel(["Done."]);
  const agent = createAgent({ model, middleware: [guest, mcpMiddleware(source)] });
  source.replaceTools([{ definition: { name: "a" } }, { definition: { name: "b" } }]);
  await agent.invoke({ messages: "Go." });
  expect(model.offered).toEqual([["mcp__fake__b"]]);
});

it("a program's own tool of a name stays, and two sources stand beside each other", async () => {
  const own = tool(async () => "mine", {
    name: "mcp__fake__a",
    description: "",
    schema: { type: "object", properties: {} },
  });
  const [one, two] = ["a", "b"].map((name) => createFakeToolSource([{ definition: { name } }]));
  if (one === undefined || two === undefined) throw new Error("There are two.");
  const model = new ScriptedModel([[{ tool: "mcp__fake__a", args: {} }], "Done."]);
  const middleware = [mcpMiddleware(one), mcpMiddleware(two, { name: "other" })];
  const { messages } = await createAgent({ model, tools: [own], middleware }).invoke({ messages: "Go." });
  expect(model.offered[0]?.toSorted()).toEqual(["mcp__fake__a", "mcp__fake__b"]);
  expect(toolMessage(messages)).toMatchObject({ content: "mine" });
});

it("one middleware serves many users at once, each with the media of its model", async () => {
  const middleware = [mcpMiddleware(answers(SHOT))];
  const run = async (kind: string) => {
    const model = new ScriptedModel([ASK, "Done."], kind);
    await createAgent({ model, middleware }).invoke({ messages: "Go." });
    return toolMessage(model.prompts[1] ?? [])?.content;
  };
  const kinds = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "anthropic" : "openai"));
  const read = await Promise.all(kinds.map(run));
  expect(read).toEqual(kinds.map((kind) => (kind === "anthropic" ? IMAGE_SHOWN : NAMED)));
});

it("tools for an app alone are never offered", async () => {
  const _meta = { ui: { visibility: ["app"] } };
  const source = createFakeToolSource([
    { definition: { name: "submit", _meta } },
    { definition: { name: "read" } },
  ]);
  expect(langchainTools(source).map(({ name }) => name)).toEqual(["mcp__fake__read"]);
  const model = new ScriptedModel(["Done."]);
  await createAgent({ model, middleware: [mcpMiddleware(source)] }).invoke({ messages: "Go." });
  expect(model.offered).toEqual([["mcp__fake__read"]]);
});

it.each([{ media: "all" }, { media: { picture: true } }, { artifact: "none" }])(
  "the option %j is refused",
  (options) => {
    const refusal = expect.objectContaining({ code: "MCP_CONFIG_INVALID" });
    const wrong = options as unknown as McpMiddlewareOptions;
    expect(() => langchainTools(createFakeToolSource([]), wrong)).toThrow(refusal);
    expect(() => mcpMiddleware(createFakeToolSource([]), wrong)).toThrow(refusal);
  },
);
