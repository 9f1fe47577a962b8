import { createFakeToolSource, type FakeToolSource } from "@jackfield/test-kit";
import { ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { type McpMiddlewareOptions, mcpMiddleware } from "../src/middleware.ts";
import { made } from "./agent/conversation.ts";
import { ScriptedModel, type Step } from "./scripted-model.ts";

const THREAD = { configurable: { thread_id: "1" } };

const source = () =>
  createFakeToolSource([
    { definition: { name: "look", annotations: { readOnlyHint: true } } },
    { definition: { name: "wipe" } },
    { definition: { name: "guarded", annotations: { readOnlyHint: true } }, requiresApproval: true },
  ]);
const wanted = (...tools: string[]): Step =>
  tools.map((name) => ({ tool: `mcp__fake__${name}`, args: { name } }));

/** A conversation with an agent that stops to ask. */
function converse(
  tools: FakeToolSource,
  steps: readonly Step[],
  options: McpMiddlewareOptions,
  context = {},
) {
  const model = new ScriptedModel(steps);
  const middleware = [mcpMiddleware(tools, options)];
  const agent = createAgent({ model, middleware, checkpointer: new MemorySaver() });
  return {
    model,
    start: () => agent.invoke({ messages: "Do it." }, { ...THREAD, context }),
    decide: (...decisions: object[]) => agent.invoke(new Command({ resume: { decisions } }), THREAD),
  };
}

function askedAbout(state: object): unknown {
  const { __interrupt__: interrupts = [] } = state as {
    __interrupt__?: { value: { actionRequests: { name: string }[] } }[];
  };
  return interrupts.flatMap(({ value }) => value.actionRequests.map(({ name }) => name));
}
const answers = (state: { messages: readonly unknown[] }) =>
  state.messages.filter((message) => ToolMessage.isInstance(message));
const APPROVE = { type: "approve" };
const REJECT = { type: "reject", message: "Leave it." };

describe("approval", () => {
  it.each<[string, McpMiddlewareOptions, string[]]>([
    ["the default asks about no call", {}, []],
    [
      "annotations asks about calls that write and calls the runtime wants approved",
      { approval: "annotations" },
      ["wipe", "guarded"],
    ],
    ["always asks about every call", { approval: "always" }, ["look", "wipe", "guarded"]],
    ["a function decides for each call", { approval: ({ args }) => args.name === "look" }, ["look"]],
    [
      "a function that rejects asks about every call",
      { approval: () => Promise.reject(new Error("down")) },
      ["look", "wipe", "guarded"],
    ],
  ])("%s", async (_title, options, names) => {
    const tools = source();
    const { start } = converse(tools, [wanted("look", "wipe", "guarded"), "Done."], options);
    const state = await start();
    expect(askedAbout(state)).toEqual(names.map((name) => `mcp__fake__${name}`));
    expect(tools.calls).toHaveLength(names.length === 0 ? 3 : 0);
  });

  it("makes an approved call once and marks it approved for the runtime", async () => {
    const tools = source();
    const { start, decide } = converse(tools, [wanted("wipe", "look"), "Done."], { approval: "annotations" });
    await start();
    const state = await decide(APPROVE);
    expect(state.messages.at(-1)?.text).toBe("Done.");
    expect(made(tools)).toEqual([
      ["look", undefined],
      ["wipe", true],
    ]);
  });

  it("makes a call with the arguments a person edited", async () => {
    const tools = source();
    const { start, decide } = converse(tools, [wanted("wipe"), "Done."], { approval: "always" });
    await start();
    const editedAction = { name: "mcp__fake__wipe", args: { name: "less" } };
    await decide({ type: "edit", editedAction });
    expect(tools.calls).toMatchObject([{ args: { name: "less" } }]);
    expect(made(tools)).toEqual([["wipe", true]]);
  });

  it("does not make a rejected call and shows the model the reason", async () => {
    const tools = source();
    const { start, decide, model } = converse(tools, [wanted("wipe"), "As you wish."], {
      approval: "always",
    });
    await start();
    const state = await decide(REJECT);
    expect(state.messages.at(-1)?.text).toBe("As you wish.");
    expect(tools.calls).toEqual([]);
    expect(model.prompts[1]?.at(-1)).toMatchObject({ content: "Leave it.", status: "error" });
  });

  it("answers every call of a message when one is rejected and another needs no approval", async () => {
    const tools = source();
    const { start, decide, model } = converse(tools, [wanted("look", "wipe"), "Done."], {
      approval: "annotations",
    });
    await start();
    const state = await decide(REJECT);
    expect(tools.calls).toMatchObject([{ tool: { server: "fake", tool: "look" } }]);
    expect(answers(state)).toHaveLength(2);
    expect(model.prompts).toHaveLength(2);
  });

  it("is not switched off by another middleware's interruptOn context", async () => {
    const tools = source();
    const { start } = converse(tools, [wanted("wipe"), "Done."], { approval: "always" }, { interruptOn: {} });
    expect(askedAbout(await start())).toEqual(["mcp__fake__wipe"]);
  });

  it("denies a call that another middleware redirected to a tool that needs approval", async () => {
    const tools = source();
    const changing = createMiddleware({
      name: "changing",
      wrapToolCall: (request, handler) =>
        handler({ ...request, toolCall: { ...request.toolCall, name: "mcp__fake__wipe" } }),
    });
    const model = new ScriptedModel([wanted("look"), "Done."]);
    const middleware = [changing, mcpMiddleware(tools, { approval: "annotations" })] as const;
    const state = await createAgent({ model, middleware: [...middleware] }).invoke({ messages: "Do it." });
    expect(tools.calls).toEqual([]);
    expect(answers(state)).toMatchObject([
      { status: "error", content: expect.stringContaining("MCP_CALL_DENIED") },
    ]);
  });

  const createAgentOfTwoSources = () => {
    const servers = ["one", "two"];
    const sources = servers.map((server) => createFakeToolSource([{ server, definition: { name: "wipe" } }]));
    const model = new ScriptedModel([
      servers.map((server) => ({ tool: `mcp__${server}__wipe`, args: {} })),
      "Done.",
    ]);
    const middleware = sources.map((tools, index) =>
      mcpMiddleware(tools, { approval: "always", name: `source ${index}` }),
    );
    const agent = createAgent({ model, middleware, checkpointer: new MemorySaver() });
    return { agent, sources };
  };

  it("asks about the calls of two sources in turn and remembers both answers", async () => {
    const { agent, sources } = createAgentOfTwoSources();
    const approve = new Command({ resume: { decisions: [APPROVE] } });
    expect(await agent.invoke({ messages: "Do it." }, THREAD)).toHaveProperty("__interrupt__");
    expect(await agent.invoke(approve, THREAD)).toHaveProperty("__interrupt__");
    const state = await agent.invoke(approve, THREAD);
    expect(state.messages.at(-1)?.text).toBe("Done.");
    for (const one of sources) expect(made(one)).toMatchObject([[expect.any(String), true]]);
  });

  it("returns to the model after the calls of two sources are rejected in turn", async () => {
    const { agent, sources } = createAgentOfTwoSources();
    const reject = new Command({ resume: { decisions: [REJECT] } });
    await agent.invoke({ messages: "Do it." }, THREAD);
    await agent.invoke(reject, THREAD);
    const state = await agent.invoke(reject, THREAD);
    expect(answers(state)).toHaveLength(2);
    expect(state.messages.at(-1)?.text).toBe("Done.");
    for (const { calls } of sources) expect(calls).toEqual([]);
  });

  it("throws at once for an unknown policy, with or without tools", () => {
    const options = { approval: "alwyas" } as never;
    for (const tools of [createFakeToolSource([]), source()])
      expect(() => mcpMiddleware(tools, options)).toThrowError(
        expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
      );
  });
});
