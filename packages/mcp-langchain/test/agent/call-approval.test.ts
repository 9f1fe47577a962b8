import { createFakeToolSource } from "@jackfield/test-kit";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { tool as createLangchainTool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware, toolCallLimitMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { mcpMiddleware, type ToolApproval } from "../../src/middleware.ts";
import { ScriptedModel } from "../scripted-model.ts";
import { APPROVE, converse, made, REJECT, THREAD, tool } from "./conversation.ts";

const source = () => createFakeToolSource([tool("a"), tool("b"), tool("c")]);

/** A policy that gives these answers in turn, and the tools it was asked about. */
function createPolicy(...answers: readonly boolean[]): { approval: ToolApproval; asked: string[] } {
  const asked: string[] = [];
  const approval: ToolApproval = ({ tool: { originalName } }) =>
    answers[asked.push(originalName) - 1] === true;
  return { approval, asked };
}

describe("a decision", () => {
  it("to reject a call holds without asking the policy again", async () => {
    const tools = source();
    const { approval, asked } = createPolicy(true, false);
    const { start, decide } = converse(tools, ["a"], { approval });
    await start();
    const { answers } = await decide(REJECT);
    expect(answers).toMatchObject([{ content: "Leave it.", status: "error" }]);
    expect(made(tools)).toEqual([]);
    expect(asked).toEqual(["a"]);
  });

  it("to reject a call holds when the tool has since become read-only or vanished", async () => {
    for (const then of [[tool("a", true)], []]) {
      const tools = source();
      const { start, decide } = converse(tools, ["a"], { approval: "annotations" });
      expect(await start()).toMatchObject({ asked: ["a"] });
      tools.replaceTools(then);
      expect((await decide(REJECT)).answers).toMatchObject([{ content: "Leave it." }]);
      expect(made(tools)).toEqual([]);
    }
  });

  it("applies to the calls that were asked about, even if the policy has since changed", async () => {
    const tools = source();
    let dangerous = "a";
    const approval: ToolApproval = ({ tool: { originalName } }) => originalName === dangerous;
    const { start, decide } = converse(tools, ["a", "b"], { approval });
    expect(await start()).toMatchObject({ asked: ["a"] });
    dangerous = "b";
    await decide(APPROVE);
    expect(made(tools)).toEqual([
      ["a", true],
      ["b", undefined],
    ]);
  });

  it("on one call does not apply to the other calls of the same answer", async () => {
    const tools = source();
    const { start, decide, model } = converse(tools, ["a", "b", "c"], { approval: "always" });
    await start();
    const editedAction = { name: "mcp__fake__c", args: { less: true } };
    const { answers } = await decide(APPROVE, REJECT, { type: "edit", editedAction });
    expect(made(tools)).toEqual([
      ["a", true],
      ["c", true],
    ]);
    expect(tools.calls.map(({ args }) => args)).toContainEqual({ less: true });
    expect(answers.map(({ tool_call_id }) => tool_call_id).sort()).toEqual(["call-0", "call-1", "call-2"]);
    expect(model.prompts).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ["for too few calls", { decisions: [APPROVE] }],
    ["of an unknown type", { decisions: [APPROVE, { type: "maybe" }] }],
    ["to edit a call without the edited action", { decisions: [APPROVE, { type: "edit" }] }],
    ["that is a plain string", "yes"],
  ])("%s is ignored, and the person is asked again", async (_title, wrong) => {
    const tools = source();
    const { start, decide, resume } = converse(tools, ["a", "b"], { approval: "always" });
    await start();
    expect(await resume(wrong)).toMatchObject({ asked: ["a", "b"], answers: [] });
    await decide(REJECT, APPROVE);
    expect(made(tools)).toEqual([["b", true]]);
  });
});

describe("a call", () => {
  it("to a tool that stops being read-only while another call awaits approval is denied", async () => {
    const tools = createFakeToolSource([tool("a"), tool("b", true)]);
    const { start, decide } = converse(tools, ["a", "b"], { approval: "annotations" });
    expect(await start()).toMatchObject({ asked: ["a"] });
    tools.replaceTools([tool("a"), tool("b")]);
    const { answers } = await decide(APPROVE);
    expect(made(tools)).toEqual([["a", true]]);
    expect(answers).toContainEqual(
      expect.objectContaining({ content: expect.stringContaining("MCP_CALL_DENIED") }),
    );
  });

  it("that another middleware changes after its approval is denied", async () => {
    const changing = createMiddleware({
      name: "changing",
      wrapToolCall: (request, handler) =>
        handler({ ...request, toolCall: { ...request.toolCall, args: { everything: true } } }),
    });
    const tools = source();
    const { start, decide } = converse(tools, ["a"], { approval: "always" }, { middleware: [changing] });
    await start();
    const { answers } = await decide(APPROVE);
    expect(made(tools)).toEqual([]);
    expect(answers).toMatchObject([{ content: expect.stringContaining("MCP_CALL_DENIED") }]);
  });
});

describe("the approval question", () => {
  it("leaves out a call that another middleware has answered, which gets no second answer", async () => {
    const run = async (decision: object, policy: ToolApproval) => {
      const tools = source();
      const model = new ScriptedModel([
        ["1", "2"].map((value) => ({ tool: "mcp__fake__a", args: { value } })),
        "Done.",
      ]);
      const limit = toolCallLimitMiddleware({ toolName: "mcp__fake__a", runLimit: 1 } as never);
      const middleware = [mcpMiddleware(tools, { approval: policy }), limit as unknown as AgentMiddleware];
      const agent = createAgent({ model, checkpointer: new MemorySaver(), middleware });
      const { __interrupt__: open } = (await agent.invoke({ messages: "Do it." }, THREAD)) as unknown as {
        __interrupt__: { value: { actionRequests: { args: unknown }[] } }[];
      };
      expect(open[0]?.value.actionRequests).toMatchObject([{ args: { value: "1" } }]);
      const { messages } = await agent.invoke(new Command({ resume: { decisions: [decision] } }), THREAD);
      expect(messages.at(-1)?.text).toBe("Done.");
      const answers = messages.filter(ToolMessage.isInstance).map(({ tool_call_id }) => tool_call_id);
      return { made: made(tools), answers: answers.length, distinct: new Set(answers).size };
    };
    const answered = { answers: 2, distinct: 2 };
    expect(await run(APPROVE, "always")).toEqual({ made: [["a", true]], ...answered });
    expect(await run(REJECT, "always")).toEqual({ made: [], ...answered });
    const asked: unknown[] = [];
    const policy: ToolApproval = ({ args }) => asked.push(args.value) > 0;
    expect(await run(REJECT, policy)).toEqual({ made: [], ...answered });
    expect(asked).toEqual(["1"]);
  });

  it("is asked again when the model reuses a call id in its next answer", async () => {
    const call = (value: number) =>
      new AIMessage({ content: "", tool_calls: [{ id: "1", name: "mcp__fake__a", args: { value } }] });
    const tools = source();
    const model = new ScriptedModel([call(1), call(2), "Done."]);
    const middleware = [mcpMiddleware(tools, { approval: "always" })];
    const agent = createAgent({ model, checkpointer: new MemorySaver(), middleware });
    const approve = new Command({ resume: { decisions: [APPROVE] } });
    expect(await agent.invoke({ messages: "Do it." }, THREAD)).toHaveProperty("__interrupt__");
    expect(await agent.invoke(approve, THREAD)).toHaveProperty("__interrupt__");
    expect(tools.calls.map(({ args }) => args)).toEqual([{ value: 1 }]);
    await agent.invoke(approve, THREAD);
    expect(tools.calls.map(({ args }) => args)).toEqual([{ value: 1 }, { value: 2 }]);
  });

  it("covers all calls without an id when another middleware answers with an empty call id", async () => {
    const answering = createMiddleware({
      name: "answering",
      afterModel: () => ({ messages: [new ToolMessage({ content: "No.", tool_call_id: "" })] }),
    });
    const calls = ["a", "b"].map((name) => ({ id: "", name: `mcp__fake__${name}`, args: {} }));
    const answer = new AIMessage({ content: "", tool_calls: calls });
    const model = new ScriptedModel([answer, "Done."]);
    const middleware = [mcpMiddleware(source(), { approval: "always" }), answering];
    const agent = createAgent({ model, checkpointer: new MemorySaver(), middleware });
    const state = (await agent.invoke({ messages: "Do it." }, THREAD)) as object;
    expect(state).toMatchObject({
      __interrupt__: [{ value: { actionRequests: calls.map(({ name }) => ({ name })) } }],
    });
  });

  it("is not asked for an agent's own tools and adds no update to its stream", async () => {
    const own = createLangchainTool(async () => "Done.", { name: "own", description: "", schema: {} });
    const model = new ScriptedModel([[{ tool: "own", args: {} }], "Done."]);
    const middleware = [mcpMiddleware(source(), { approval: "always" })];
    const agent = createAgent({ model, tools: [own], middleware, checkpointer: new MemorySaver() });
    const nodes: string[] = [];
    const stream = await agent.stream({ messages: "Do it." }, { ...THREAD, streamMode: "updates" });
    for await (const update of stream) nodes.push(...Object.keys(update));
    expect(nodes).toContain("tools");
    expect(nodes).not.toContain("McpMiddleware.approval");
  });
});
