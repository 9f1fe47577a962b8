import type { ToolSource } from "@jackfield/mcp-core";
import { mcpMiddleware } from "@jackfield/mcp-langchain/middleware";
import { AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import {
  type AgentFramework,
  INSTRUCTIONS,
  MOST_STEPS,
  type ModelSettings,
  tooManySteps,
} from "./agent-framework.ts";
import { recordCalls } from "./call-recorder.ts";
import { modelError } from "./model-error.ts";

/** The graph takes one step to ask the model and one to call the tools it wants; the last step is the answer. */
const RECURSION_LIMIT = 2 * MOST_STEPS;

/** A conversation driven by LangChain.js. */
export function createLangchainAgent(source: ToolSource, settings: ModelSettings): AgentFramework {
  const recorder = recordCalls(source);
  const search = settings.search === true ? "always" : "off";
  const agent = createAgent({
    model: new ChatOpenAI({
      model: settings.model,
      apiKey: settings.apiKey,
      configuration: { baseURL: settings.baseUrl },
      maxRetries: 2,
    }),
    middleware: [mcpMiddleware(recorder, { search })],
    systemPrompt: INSTRUCTIONS,
  });
  let history: BaseMessage[] = [];
  return {
    async ask(text, { signal, print }) {
      recorder.takeCalls();
      let messages: BaseMessage[] = [...history, new HumanMessage(text)];
      let hasBegun = false;
      try {
        const stream = await agent.stream(
          { messages },
          { signal, recursionLimit: RECURSION_LIMIT, streamMode: ["messages", "values"] },
        );
        for await (const [mode, part] of stream) {
          if (mode === "values") messages = part.messages;
          else if (AIMessageChunk.isInstance(part[0])) {
            const [{ text, tool_call_chunks: calls = [] }] = part;
            hasBegun ||= text !== "" || calls.length > 0;
            if (text !== "") print?.(text);
          }
        }
      } catch (error) {
        throw isRecursionLimit(error) ? tooManySteps(error) : modelError(error, settings, { hasBegun });
      }
      signal.throwIfAborted();
      history = messages;
      return { text: history.at(-1)?.text ?? "", calls: recorder.takeCalls() };
    },
  };
}

function isRecursionLimit(error: unknown): boolean {
  return error instanceof Error && error.name === "GraphRecursionError";
}
