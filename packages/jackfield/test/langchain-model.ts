import type { ToolSource } from "@jackfield/mcp-core";
import { langchainTools } from "@jackfield/mcp-langchain";
import { mcpMiddleware } from "@jackfield/mcp-langchain/middleware";
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";

/** A call of a tool by a model. */
export interface ModelToolCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

/** What the model does in one step: a text, or calls; possibly only after something else has happened. */
export type ModelStep =
  | string
  | readonly ModelToolCall[]
  | { readonly after: Promise<unknown>; readonly calls: readonly ModelToolCall[] };

/** A chat model that follows a script, streamed or not, and writes down what it was asked and offered. */
export class ToolCallingModel extends BaseChatModel {
  readonly prompts: BaseMessage[][] = [];
  readonly offered: string[][] = [];
  readonly #steps: readonly ModelStep[];
  #bound: readonly string[] = [];

  constructor(steps: readonly ModelStep[]) {
    super({});
    this.#steps = steps;
  }

  override _llmType(): string {
    return "tool-calling";
  }

  override bindTools(tools: BindToolsInput[]): this {
    this.#bound = tools.map((tool) => ("name" in tool ? String(tool.name) : ""));
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text, calls } = await this.#answer(messages);
    const toolCalls = calls.map((call) => ({ ...call, type: "tool_call" as const }));
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: toolCalls }) }] };
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    const { text, calls } = await this.#answer(messages);
    for (const word of text.split(/(?<= )/))
      yield new ChatGenerationChunk({ text: word, message: new AIMessageChunk(word) });
    for (const [index, { id, name, args }] of calls.entries()) {
      const chunk = { type: "tool_call_chunk" as const, index, id, name, args: JSON.stringify(args) };
      const message = new AIMessageChunk({ content: "", tool_call_chunks: [chunk] });
      yield new ChatGenerationChunk({ text: "", message });
    }
  }

  async #answer(messages: BaseMessage[]) {
    const number = this.prompts.length;
    const step = this.#steps[number] ?? "The script is at its end.";
    if (typeof step === "object" && "after" in step) await step.after;
    this.prompts.push(messages);
    this.offered.push([...this.#bound]);
    if (typeof step === "string") return { text: step, calls: [] };
    const calls = "after" in step ? step.calls : step;
    const id = (index: number) => `call-${number}-${index}`;
    return { text: "", calls: calls.map(({ tool, args }, index) => ({ id: id(index), name: tool, args })) };
  }
}

/** What came of a loop. */
export interface LoopOutcome {
  readonly text: string;
  /** What the model was last given of its tools' results. */
  readonly toModel: readonly ToolMessage[];
}

/** One way of LangChain to let a model call tools until it has an answer. */
export interface Loop {
  readonly name: string;
  run(model: ToolCallingModel, source: ToolSource, options?: { signal?: AbortSignal }): Promise<LoopOutcome>;
}

const QUESTION = { messages: [{ role: "user", content: "Do it." }] };

interface Runnable {
  invoke(input: typeof QUESTION, options?: object): Promise<{ messages: BaseMessage[] }>;
}

function loop(name: string, make: (model: ToolCallingModel, source: ToolSource) => Runnable): Loop {
  return {
    name,
    async run(model, source, options) {
      const { messages } = await make(model, source).invoke(QUESTION, options);
      const toModel = (model.prompts.at(-1) ?? []).filter((message) => ToolMessage.isInstance(message));
      return { text: messages.at(-1)?.text ?? "", toModel: toModel as ToolMessage[] };
    },
  };
}

/** A graph as people write it who want no agent: a model, LangGraph's own node for tools, and the way back. */
function graphOf(model: ToolCallingModel, source: ToolSource): Runnable {
  const tools = langchainTools(source, { media: { image: true } });
  const bound = model.bindTools(tools);
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await bound.invoke(messages)] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition, { tools: "tools", [END]: END })
    .addEdge("tools", "model")
    .compile() as unknown as Runnable;
}

/** An agent whose messages are streamed as they come, down to the tokens. */
function streamed(agent: {
  stream(input: never, options: never): Promise<AsyncIterable<unknown>>;
}): Runnable {
  return {
    async invoke(input, options) {
      let last: { messages: BaseMessage[] } | undefined;
      const modes = { ...options, streamMode: ["values", "messages", "tools"] };
      for await (const [mode, value] of (await agent.stream(input as never, modes as never)) as AsyncIterable<
        [string, unknown]
      >)
        if (mode === "values") last = value as typeof last;
      return last ?? { messages: [] };
    },
  };
}

/** Every way. */
export const LOOPS: readonly Loop[] = [
  loop(
    "an agent with tools",
    (model, source) =>
      createAgent({ model, tools: langchainTools(source, { media: { image: true } }) }) as never,
  ),
  loop(
    "an agent with mcpMiddleware",
    (model, source) =>
      createAgent({ model, middleware: [mcpMiddleware(source, { media: { image: true } })] }) as never,
  ),
  loop("the stream of an agent", (model, source) =>
    streamed(
      createAgent({ model, middleware: [mcpMiddleware(source, { media: { image: true } })] }) as never,
    ),
  ),
  loop("a graph with a ToolNode", graphOf),
];
