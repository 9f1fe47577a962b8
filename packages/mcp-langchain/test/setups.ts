import type { FakeToolSource } from "@jackfield/test-kit";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { type AgentMiddleware, createAgent, createMiddleware } from "langchain";
import { expect } from "vitest";
import { type LangchainToolsOptions, langchainTools } from "../src/index.ts";
import { type McpMiddlewareOptions, mcpMiddleware } from "../src/middleware.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** The one call each setup makes. */
export const CALL = { type: "tool_call" as const, id: "call-0", name: "mcp__fake__ask", args: { q: 1 } };

/** A way to have a tool called. */
export interface Setup {
  readonly name: string;
  /** Makes one call of the tool and gives the message that answers it. */
  ask(source: FakeToolSource, options?: AskOptions): Promise<ToolMessage>;
}

interface AskOptions {
  readonly signal?: AbortSignal;
  /** Defaults to those of `CALL`. */
  readonly args?: Record<string, unknown>;
  /** Options of `langchainTools` and `mcpMiddleware`. */
  readonly tools?: LangchainToolsOptions;
}

/** Middleware that changes nothing, but makes LangChain treat what tools throw as fatal. */
const wrapping = createMiddleware({
  name: "wrapping",
  wrapToolCall: (request, handler) => handler(request),
});

type AgentParts = (
  source: FakeToolSource,
  options: LangchainToolsOptions | undefined,
) => {
  readonly tools?: ReturnType<typeof langchainTools>;
  readonly middleware?: AgentMiddleware[];
};

const inAgent =
  (parts: AgentParts): Setup["ask"] =>
  async (source, { args = CALL.args, tools, ...config } = {}) => {
    const model = new ScriptedModel([[{ tool: CALL.name, args }], "Done."]);
    const agent = createAgent({ model, checkpointer: new MemorySaver(), ...parts(source, tools) });
    const thread = { configurable: { thread_id: "1" } };
    const { messages } = await agent.invoke({ messages: "Do it." }, { ...thread, ...config });
    expect(messages.at(-1)?.text).toBe("Done.");
    return onlyToolMessage(model.prompts[1]?.at(-1));
  };

const withMiddleware = (options?: McpMiddlewareOptions) =>
  inAgent((source, tools) => ({ middleware: [mcpMiddleware(source, { ...options, ...tools })] }));

/** LangGraph's own node, used alone. */
export const askToolNode: Setup["ask"] = async (source, { args = CALL.args, tools, ...config } = {}) => {
  const node = new ToolNode(langchainTools(source, tools));
  const called = new AIMessage({ content: "", tool_calls: [{ ...CALL, args }] });
  const { messages } = await node.invoke({ messages: [called] }, config);
  return onlyToolMessage(messages[0]);
};

/** Every way to call a tool; the outcome must be the same in all of them. */
export const SETUPS: readonly Setup[] = [
  { name: "an agent", ask: inAgent((source, tools) => ({ tools: langchainTools(source, tools) })) },
  {
    name: "an agent whose middleware wraps tool calls",
    ask: inAgent((source, tools) => ({ tools: langchainTools(source, tools), middleware: [wrapping] })),
  },
  { name: "an agent with mcpMiddleware", ask: withMiddleware() },
  {
    name: "an agent with inputRequired set to interrupt",
    ask: withMiddleware({ inputRequired: "interrupt" }),
  },
  { name: "a ToolNode", ask: askToolNode },
  {
    name: "tool.invoke",
    async ask(source, { args = CALL.args, tools, ...config } = {}) {
      return onlyToolMessage(await langchainTools(source, tools)[0]?.invoke({ ...CALL, args }, config));
    },
  },
];

function onlyToolMessage(value: unknown): ToolMessage {
  if (!ToolMessage.isInstance(value)) throw new Error("That is no ToolMessage.");
  return value as ToolMessage;
}
