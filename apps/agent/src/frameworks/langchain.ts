import type { ToolSource } from "@jackfield/mcp-core";
import { langchainTools } from "@jackfield/mcp-langchain";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
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

/** The graph takes one step to ask the model and one to call the tools it wants; the last step is the answer. */
const RECURSION_LIMIT = 2 * MOST_STEPS;

/** A conversation driven by LangChain.js. */
export function createLangchainAgent(source: ToolSource, settings: ModelSettings): AgentFramework {
  const model = new ChatOpenAI({
    model: settings.model,
    apiKey: settings.apiKey,
    configuration: { baseURL: settings.baseUrl },
  });
  const recorder = recordCalls(source);
  let history: BaseMessage[] = [];
  return {
    async ask(text, { signal }) {
      recorder.takeCalls();
      const agent = createAgent({ model, tools: langchainTools(recorder), systemPrompt: INSTRUCTIONS });
      const state = await agent
        .invoke(
          { messages: [...history, new HumanMessage(text)] },
          { signal, recursionLimit: RECURSION_LIMIT },
        )
        .catch((error: unknown) => {
          throw isRecursionLimit(error) ? tooManySteps(error) : error;
        });
      history = state.messages;
      return { text: history.at(-1)?.text ?? "", calls: recorder.takeCalls() };
    },
  };
}

function isRecursionLimit(error: unknown): boolean {
  return error instanceof Error && error.name === "GraphRecursionError";
}
