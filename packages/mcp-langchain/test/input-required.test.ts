import { McpError, type ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeTool, useLeakCheck } from "@jackfield/test-kit";
import { ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import {
  type McpInputInterrupt,
  type McpLoginInterrupt,
  type McpMiddlewareOptions,
  mcpMiddleware,
} from "../src/middleware.ts";
import { startAskingSource } from "./asking-source.ts";
import { ScriptedModel, type Step } from "./scripted-model.ts";

useLeakCheck();

const THREAD = { configurable: { thread_id: "1" } };
const greet = (greeting: string) => ({ tool: "mcp__fake__greet", args: { greeting } });

interface Question {
  readonly id: string;
  readonly value: McpInputInterrupt;
}
interface State {
  readonly messages: readonly { readonly text: string }[];
  readonly __interrupt__?: readonly Question[];
}

/** Runs an agent; each step is a new agent, which knows nothing but what the checkpoints hold. */
function conversation(
  source: Parameters<typeof mcpMiddleware>[0],
  steps: readonly Step[],
  options: McpMiddlewareOptions & { readonly version?: "v1" | "v2" } = {},
) {
  const { version = "v2", ...own } = options;
  const model = new ScriptedModel(steps);
  const checkpointer = new MemorySaver();
  const run = async (input: unknown): Promise<State> => {
    const middleware = [mcpMiddleware(source, { inputRequired: "interrupt", ...own })];
    const agent = createAgent({ model, checkpointer, middleware, version });
    return (await agent.invoke(input as never, THREAD)) as unknown as State;
  };
  return {
    model,
    run,
    start: () => run({ messages: "Greet." }),
    /** Answers every open question. */
    reply: ({ __interrupt__: open = [] }: State, answer: (question: McpInputInterrupt) => object) =>
      run(new Command({ resume: Object.fromEntries(open.map(({ id, value }) => [id, answer(value)])) })),
    decide: (...decisions: object[]) => run(new Command({ resume: { decisions } })),
  };
}

const toolTexts = ({ messages }: State) =>
  messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);
const accept = (content: object) => ({ action: "accept", content });

describe("a server's question in the middle of a call", () => {
  it("interrupts the graph with its requests and state, and the reply continues the call", async () => {
    await using asking = await startAskingSource();
    const { start, reply } = conversation(asking.source, [[greet("Hello")], "Done."]);
    const first = await start();
    expect(first.__interrupt__?.map(({ value }) => value)).toEqual([
      {
        type: "mcp_input_required",
        server: "fake",
        tool: "greet",
        toolCallId: "call-0",
        requests: {
          name: {
            method: "elicitation/create",
            params: expect.objectContaining({ message: "Which name?", requestedSchema: expect.anything() }),
          },
        },
        requestState: "asked for the name",
      },
    ]);
    const second = await reply(first, () => ({ name: accept({ name: "Ada" }) }));
    expect(second.__interrupt__?.[0]?.value).toMatchObject({ requestState: "name=Ada" });
    const last = await reply(second, () => ({ place: accept({ place: "London" }) }));
    expect(toolTexts(last)).toEqual(["Hello, Ada of London!"]);
    expect(last.messages.at(-1)?.text).toBe("Done.");
    expect(asking.journal()).toEqual([
      { greeting: "Hello" },
      { greeting: "Hello", state: "asked for the name" },
      { greeting: "Hello", state: "name=Ada" },
      "done",
    ]);
  });

  it("does not repeat the other calls, and each answer reaches its own call", async () => {
    await using asking = await startAskingSource();
    const { start, reply } = conversation(asking.source, [[greet("Hello"), greet("Bye")], "Done."]);
    const names: Record<string, string> = { "call-0": "Ada", "call-1": "Bob" };
    const second = await reply(await start(), ({ toolCallId = "" }) => ({
      name: accept({ name: names[toolCallId] }),
    }));
    const last = await reply(second, () => ({ place: accept({ place: "London" }) }));
    expect(toolTexts(last)).toEqual(["Hello, Ada of London!", "Bye, Bob of London!"]);
    expect(asking.journal()).toHaveLength(8);
  });

  it("from the second call in a node waits until the first call's question is answered", async () => {
    const pay: FakeTool = {
      definition: { name: "pay" },
      call: async ({ to }, { inputResponses }) => {
        const text = `${to}: ${JSON.stringify(inputResponses)}`;
        if (inputResponses !== undefined) return { content: [{ type: "text", text }] };
        const inputRequests = { ok: { method: "elicitation/create" } };
        return { resultType: "input_required", inputRequests, requestState: to } as never;
      },
    };
    const source = createFakeToolSource([pay]);
    const calls = ["Ann", "Bob"].map((to) => ({ tool: "mcp__fake__pay", args: { to } }));
    const { start, reply } = conversation(source, [calls, "Done."], { version: "v1" });
    const answer = ({ requestState = "" }: McpInputInterrupt) => ({ ok: { for: requestState } });
    const first = await start();
    expect(first.__interrupt__).toMatchObject([{ value: { toolCallId: "call-0" } }]);
    expect(source.calls).toHaveLength(1);
    const second = await reply(first, answer);
    expect(second.__interrupt__).toMatchObject([{ value: { toolCallId: "call-1" } }]);
    const last = await reply(second, answer);
    expect(toolTexts(last)).toEqual(['Ann: {"ok":{"for":"Ann"}}', 'Bob: {"ok":{"for":"Bob"}}']);
    expect(source.calls).toHaveLength(4);
  });

  it("can be declined, and the server answers without doing the work", async () => {
    await using asking = await startAskingSource();
    const { start, reply } = conversation(asking.source, [[greet("Hello")], "Done."]);
    const last = await reply(await start(), () => ({ name: { action: "decline" } }));
    expect(toolTexts(last)).toEqual(["Nobody was greeted."]);
    expect(asking.journal()).toHaveLength(2);
  });

  it("follows the approval of the call, which is not asked for again", async () => {
    await using asking = await startAskingSource();
    const { start, reply, decide } = conversation(asking.source, [[greet("Hello")], "Done."], {
      approval: "always",
    });
    const asked = await start();
    expect(asked.__interrupt__?.[0]?.value).toHaveProperty("actionRequests");
    const second = await reply(await decide({ type: "approve" }), () => ({ name: accept({ name: "Ada" }) }));
    const last = await reply(second, () => ({ place: accept({ place: "London" }) }));
    expect(toolTexts(last)).toEqual(["Hello, Ada of London!"]);
    expect(asking.journal()).toHaveLength(4);
  });

  it("is asked again when the run resumes with an invalid answer", async () => {
    await using asking = await startAskingSource();
    const { start, reply } = conversation(asking.source, [[greet("Hello")], "Done."]);
    const again = await reply(await start(), () => ["Ada"]);
    expect(again.__interrupt__?.[0]?.value).toMatchObject({ requestState: "asked for the name" });
    const second = await reply(again, () => ({ name: accept({ name: "Ada" }) }));
    expect(second.__interrupt__?.[0]?.value).toMatchObject({ requestState: "name=Ada" });
    expect(asking.journal()).toHaveLength(2);
  });

  it("is left to the runtime's own handlers by default", async () => {
    const source = createFakeToolSource([{ definition: { name: "greet" } }]);
    await conversation(source, [[greet("Hello")], "Done."], { inputRequired: undefined }).start();
    expect(source.calls[0]?.options).not.toHaveProperty("inputRequired");
  });
});

/** A tool that gives these answers, one after the other. */
function answering(...results: readonly object[]): FakeTool {
  const left = [...results];
  return { definition: { name: "greet" }, call: () => left.shift() as ToolCallResult };
}
const END = { content: [{ type: "text", text: "Hello." }] };

describe("an input_required result without requests", () => {
  it("is retried with its requestState, without an interrupt", async () => {
    const again = { resultType: "input_required", requestState: "wait" };
    const source = createFakeToolSource([answering(again, again, END)]);
    const state = await conversation(source, [[greet("Hello")], "Done."]).start();
    expect(toolTexts(state)).toEqual(["Hello."]);
    expect(source.calls.map(({ options }) => options)).toMatchObject([
      { inputRequired: "return" },
      { inputResponses: undefined, requestState: "wait" },
      { inputResponses: undefined, requestState: "wait" },
    ]);
  });

  it("interrupts the graph within 20 calls when it repeats forever", async () => {
    const again = { resultType: "input_required", requestState: "wait" };
    const source = createFakeToolSource([answering(...Array.from({ length: 100 }, () => again))]);
    const { __interrupt__: open } = await conversation(source, [[greet("Hello")], "Done."]).start();
    expect(open?.[0]?.value).toMatchObject({ requests: {}, requestState: "wait" });
    expect(source.calls.length).toBeLessThan(20);
  });
});

describe("an agent without a checkpointer", () => {
  it.each([[[]], [[createMiddleware({ name: "w", wrapToolCall: (request, handler) => handler(request) })]]])(
    "rejects the run when the server asks for input (%#)",
    async (others) => {
      const asks = { resultType: "input_required", inputRequests: { a: { method: "elicitation/create" } } };
      const source = createFakeToolSource([answering(asks, END)]);
      const middleware = [mcpMiddleware(source, { inputRequired: "interrupt" }), ...others];
      const agent = createAgent({ model: new ScriptedModel([[greet("Hello")], "Done."]), middleware });
      await expect(agent.invoke({ messages: "Greet." })).rejects.toThrow("No checkpointer set");
      expect(source.calls).toHaveLength(1);
    },
  );
});

describe("a call that needs its user to log in", () => {
  const needed = { server: "fake", principal: "ann", scopes: ["read"] };

  /** Its server refuses until the user has logged in. */
  function guardedSource() {
    const state = { isLoggedIn: false, calls: 0 };
    const read: FakeTool = {
      definition: { name: "read" },
      call: async () => {
        state.calls += 1;
        if (state.isLoggedIn) return { content: [{ type: "text", text: "the mail" }] };
        throw new McpError("MCP_AUTH_REQUIRED", "Log in.", { server: "fake", login: needed });
      },
    };
    return { state, source: createFakeToolSource([read]) };
  }
  const steps = [[{ tool: "mcp__fake__read", args: {} }], "Done."];

  it("interrupts the graph with what is needed, and is made again once the user has", async () => {
    const { state, source } = guardedSource();
    const { start, run } = conversation(source, steps);
    const first = await start();
    const [question] = first.__interrupt__ ?? [];
    expect(question?.value).toEqual({
      type: "mcp_login_required",
      server: "fake",
      tool: "read",
      toolCallId: "call-0",
      login: needed,
    } satisfies McpLoginInterrupt);
    const again = await run(new Command({ resume: { [question?.id ?? ""]: true } }));
    expect(again.__interrupt__).toHaveLength(1);
    state.isLoggedIn = true;
    const last = await run(new Command({ resume: { [again.__interrupt__?.[0]?.id ?? ""]: true } }));
    expect(toolTexts(last)).toEqual(["the mail"]);
    expect(state.calls).toBe(3);
  });

  it("can be declined, and the model is told", async () => {
    const { state, source } = guardedSource();
    const { start, run } = conversation(source, steps);
    const [question] = (await start()).__interrupt__ ?? [];
    const last = await run(new Command({ resume: { [question?.id ?? ""]: false } }));
    expect(toolTexts(last)[0]).toContain("Log in.");
    expect(state.calls).toBe(1);
  });
});
