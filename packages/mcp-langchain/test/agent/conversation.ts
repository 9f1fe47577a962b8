import type { ToolRef } from "@jackfield/mcp-core";
import type { FakeToolSource } from "@jackfield/test-kit";
import { type AIMessage, ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent } from "langchain";
import { type McpMiddlewareOptions, mcpMiddleware } from "../../src/middleware.ts";
import { ScriptedModel } from "../scripted-model.ts";

export const THREAD = { configurable: { thread_id: "1" } };
export const APPROVE = { type: "approve" };
export const REJECT = { type: "reject", message: "Leave it." };
export const tool = (name: string, readOnlyHint = false) => ({
  definition: { name, annotations: { readOnlyHint } },
});

interface Around {
  /** Runs before the middleware under test. */
  readonly middleware?: readonly AgentMiddleware[];
  readonly version?: "v1" | "v2";
}

/**
 * A conversation in which each step is a new agent, which knows nothing but what the checkpoints hold. The model begins with calls of
 * the tools of these names, or with this answer.
 */
export function converse(
  tools: FakeToolSource,
  first: readonly string[] | AIMessage,
  options: McpMiddlewareOptions,
  { middleware: around = [], version = "v2" }: Around = {},
) {
  const isNames = (step: typeof first): step is readonly string[] => Array.isArray(step);
  const calls = isNames(first) ? first.map((name) => ({ tool: `mcp__fake__${name}`, args: {} })) : first;
  const model = new ScriptedModel([calls, "Done.", "What else?"]);
  const checkpointer = new MemorySaver();
  const run = async (input: unknown) => {
    const middleware = [...around, mcpMiddleware(tools, options)];
    const agent = createAgent({ model, checkpointer, middleware, version });
    const state = (await agent.invoke(input as never, THREAD)) as unknown as State;
    return { ...state, asked: askedAbout(state), answers: answersIn(state) };
  };
  return {
    model,
    start: () => run({ messages: "Do it." }),
    decide: (...decisions: readonly unknown[]) => run(new Command({ resume: { decisions } })),
    resume: (value: unknown) => run(new Command({ resume: value })),
  };
}

interface State {
  readonly messages: readonly { readonly text: string }[];
  readonly __interrupt__?: readonly { readonly value: { actionRequests: { name: string }[] } }[];
}
const shortName = (name: unknown) => String(name).replace("mcp__fake__", "");
const askedAbout = ({ __interrupt__: open = [] }: State) =>
  open.flatMap(({ value }) => value.actionRequests.map(({ name }) => shortName(name)));
const answersIn = ({ messages }: State) =>
  messages.filter((message) => ToolMessage.isInstance(message)) as unknown as ToolMessage[];

/** The calls a source received, and whether each was marked as approved, as a call of exactly the tool that it names. */
export const made = ({ calls }: FakeToolSource) =>
  calls
    .map(({ tool, options: { approved } }) => {
      const { tool: name, digest } = tool as Exclude<ToolRef, string>;
      return [name, approved === undefined ? undefined : approved === digest];
    })
    .sort();
