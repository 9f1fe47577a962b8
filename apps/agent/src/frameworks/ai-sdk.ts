import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import type { ToolSource } from "@jackfield/mcp-core";
import { generateText, type ModelMessage, stepCountIs } from "ai";
import {
  type AgentFramework,
  INSTRUCTIONS,
  MOST_STEPS,
  type ModelSettings,
  tooManySteps,
} from "./agent-framework.ts";
import { recordCalls } from "./call-recorder.ts";

/** A conversation driven by the Vercel AI SDK. */
export function createAiSdkAgent(source: ToolSource, settings: ModelSettings): AgentFramework {
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey,
  });
  const recorder = recordCalls(source);
  let history: ModelMessage[] = [];
  return {
    async ask(text, { signal }) {
      recorder.takeCalls();
      const messages: ModelMessage[] = [...history, { role: "user", content: text }];
      const result = await generateText({
        model: provider(settings.model),
        instructions: INSTRUCTIONS,
        messages,
        tools: aiSdkTools(recorder),
        stopWhen: stepCountIs(MOST_STEPS),
        abortSignal: signal,
      });
      if (result.finishReason === "tool-calls") throw tooManySteps();
      history = [...messages, ...result.responseMessages];
      return { text: result.text, calls: recorder.takeCalls() };
    },
  };
}
