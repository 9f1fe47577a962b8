import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware, humanInTheLoopMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { type McpMiddlewareOptions, mcpMiddleware } from "../src/middleware.ts";
import { ScriptedModel, type Step } from "./scripted-model.ts";

const named = (name: string): FakeTool => ({
  definition: {
    name,
    description: `The ${name} tool.`,
    inputSchema: { type: "object", properties: { q: { type: "number" } }, required: ["q"] },
  },
});
const TOOLS = ["delete", "alpha", "beta", "gamma", "zeta"].map(named);
const step = (name: string, args: Record<string, unknown>): Step => [{ tool: name, args }];
const find = (query: string) => step("search_tools", { query });
const answers = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);
const own = tool(async () => "mine", {
  name: "own",
  description: "",
  schema: { type: "object", properties: {} },
});

function setup(steps: readonly Step[], options: McpMiddlewareOptions = {}) {
  const source = createFakeToolSource(TOOLS);
  return {
    source,
    model: new ScriptedModel(steps),
    middleware: mcpMiddleware(source, { search: "always", ...options }),
  };
}

/** Whether every request begins with the bytes of the one before. */
function expectStablePrefix({ prompts }: ScriptedModel): void {
  const bytes = prompts.map((messages) =>
    messages.map((message) => JSON.stringify([message.type, message.content])),
  );
  for (const [index, messages] of bytes.slice(1).entries())
    expect(messages.slice(0, bytes[index]?.length)).toEqual(bytes[index]);
}

describe("an agent whose tools are searched for", () => {
  it("is offered what it found from the next request on, at the end, whatever its name", async () => {
    const { source, model, middleware } = setup(
      [find("zeta"), find("alpha"), step("mcp__fake__alpha", { q: 1 }), "Done."],
      { always: ["delete"] },
    );
    const { messages } = await createAgent({ model, tools: [own], middleware: [middleware] }).invoke({
      messages: "Do it.",
    });
    const before = ["own", "search_tools", "mcp__fake__delete"];
    expect(model.offered).toEqual([
      before,
      [...before, "mcp__fake__zeta"],
      [...before, "mcp__fake__zeta", "mcp__fake__alpha"],
      [...before, "mcp__fake__zeta", "mcp__fake__alpha"],
    ]);
    expect(answers(messages)).toEqual([
      "- mcp__fake__zeta: The zeta tool.\nYou can call them from your next step on.",
      "- mcp__fake__alpha: The alpha tool.\nYou can call them from your next step on.",
      '{"q":1}',
    ]);
    expectStablePrefix(model);
    const asked = source.searches.filter(({ query }) => query !== "");
    expect(asked.every(({ options }) => options.warmUp === true)).toBe(true);
  });

  it("knows what it found in another process, after the run was stored", async () => {
    const checkpointer = new MemorySaver();
    const thread = { configurable: { thread_id: "1" } };
    const first = setup([find("zeta"), "Done."]);
    await createAgent({ ...first, middleware: [first.middleware], checkpointer }).invoke(
      { messages: "Do it." },
      thread,
    );
    const second = setup([step("mcp__fake__zeta", { q: 2 }), "Done."]);
    await createAgent({ ...second, middleware: [second.middleware], checkpointer }).invoke(
      { messages: "More." },
      thread,
    );
    expect(second.model.offered[0]).toEqual(["search_tools", "mcp__fake__zeta"]);
    expect(second.source.calls).toMatchObject([{ args: { q: 2 } }]);
  });

  it("knows it though another middleware cuts the messages of a request", async () => {
    const { model, middleware } = setup([find("zeta"), find("alpha"), "Done."]);
    const cutting = createMiddleware({
      name: "cutting",
      wrapModelCall: (request, handler) => handler({ ...request, messages: request.messages.slice(0, 1) }),
    });
    await createAgent({ model, middleware: [cutting, middleware] }).invoke({ messages: "Do it." });
    expect(model.offered.at(-1)).toEqual(["search_tools", "mcp__fake__zeta", "mcp__fake__alpha"]);
  });

  it("may call a tool whose name it knows without a search", async () => {
    const { model, middleware } = setup([step("mcp__fake__beta", { q: 3 }), "Done."]);
    const { messages } = await createAgent({ model, middleware: [middleware] }).invoke({
      messages: "Do it.",
    });
    expect(answers(messages)).toEqual(['{"q":3}']);
    expect(model.offered[1]).toEqual(["search_tools", "mcp__fake__beta"]);
  });

  it("keeps its search beside middleware that chooses tools before it", async () => {
    const { model, middleware } = setup([find("zeta"), "Done."], { always: ["delete", "alpha"] });
    const choosing = createMiddleware({
      name: "choosing",
      wrapModelCall: (request, handler) =>
        handler({ ...request, tools: request.tools.filter((one) => one.name === "mcp__fake__alpha") }),
    });
    await createAgent({ model, middleware: [choosing, middleware] }).invoke({ messages: "Do it." });
    expect(model.offered).toEqual([
      ["search_tools", "mcp__fake__alpha"],
      ["search_tools", "mcp__fake__alpha", "mcp__fake__zeta"],
    ]);
  });

  const ways: readonly (readonly [how: string, options: McpMiddlewareOptions, others: readonly unknown[]])[] =
    [
      [
        "humanInTheLoopMiddleware",
        {},
        [humanInTheLoopMiddleware({ interruptOn: { mcp__fake__zeta: true } } as never)],
      ],
      ["its own approval", { approval: "always" }, []],
    ];

  it.each(ways)("asks a person about the tool that it found, by %s", async (_, options, others) => {
    const { source, model, middleware } = setup(
      [find("zeta"), step("mcp__fake__zeta", { q: 4 }), "Done."],
      options,
    );
    const list = [middleware, ...others] as AgentMiddleware[];
    const agent = createAgent({ model, middleware: list, checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "1" } };
    const asked = await agent.invoke({ messages: "Do it." }, thread);
    expect(isInterrupted(asked)).toBe(true);
    expect(source.calls).toHaveLength(0);
    const { messages } = await agent.invoke(
      new Command({ resume: { decisions: [{ type: "approve" }] } }),
      thread,
    );
    expect(messages.at(-1)?.text).toBe("Done.");
    expect(source.calls).toMatchObject([{ args: { q: 4 } }]);
    expectStablePrefix(model);
  });

  it("searches two sources by two names", async () => {
    const { model, middleware } = setup([step("search_tools_Notes", { query: "paper" }), "Done."]);
    const notes = createFakeToolSource([{ ...named("paper"), name: "mcp__notes__paper" }]);
    const second = mcpMiddleware(notes, { search: "always", name: "Notes" });
    await createAgent({ model, middleware: [middleware, second] }).invoke({ messages: "Do it." });
    expect(new Set(model.offered[1])).toEqual(
      new Set(["search_tools", "search_tools_Notes", "mcp__notes__paper"]),
    );
  });

  it("is told if nothing fits, and by a model's wrong arguments no run ends", async () => {
    const { model, middleware } = setup([step("search_tools", { question: 5 }), find("nonsense"), "Done."]);
    const { messages } = await createAgent({ model, middleware: [middleware] }).invoke({
      messages: "Do it.",
    });
    expect(answers(messages)[1]).toMatch(/^No further tool fits/);
    expect(messages.at(-1)?.text).toBe("Done.");
  });
});

describe("the option search of mcpMiddleware", () => {
  const offeredWith = async (options: McpMiddlewareOptions) => {
    const { model, middleware } = setup(["Done."], options);
    await createAgent({ model, middleware: [middleware] }).invoke({ messages: "Do it." });
    return model.offered[0];
  };

  it("offers all tools unless they cost more than the threshold", async () => {
    expect(await offeredWith({ search: undefined })).toHaveLength(5);
    expect(await offeredWith({ search: "off" })).toHaveLength(5);
    expect(await offeredWith({ search: "auto" })).toHaveLength(5);
    expect(await offeredWith({ search: "auto", threshold: 50 })).toEqual(["search_tools"]);
  });

  it("is refused if it says nothing", () => {
    expect(() => mcpMiddleware(createFakeToolSource([]), { search: "yes" as never })).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
    );
  });
});
