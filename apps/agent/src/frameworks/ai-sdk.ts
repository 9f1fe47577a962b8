import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkLiveTools } from "@jackfield/mcp-ai-sdk";
import type { ToolSource } from "@jackfield/mcp-core";
import { isStepCount, type ModelMessage, streamText } from "ai";
import {
  type AgentFramework,
  INSTRUCTIONS,
  MOST_STEPS,
  type ModelSettings,
  tooManySteps,
} from "./agent-framework.ts";
import { recordCalls } from "./call-recorder.ts";
import { modelError } from "./model-error.ts";

/** The parts of a stream that the AI SDK makes itself, not the model. */
const NOT_OF_THE_MODEL: ReadonlySet<string> = new Set(["start", "start-step", "abort"]);

/** A conversation driven by the Vercel AI SDK. */
export function createAiSdkAgent(source: ToolSource, settings: ModelSettings): AgentFramework {
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey,
  });
  const recorder = recordCalls(source);
  const search = settings.search === true ? "always" : "off";
  let history: ModelMessage[] = [];
  return {
    async ask(text, { signal, print }) {
      recorder.takeCalls();
      const messages: ModelMessage[] = [...history, { role: "user", content: text }];
      const result = streamText({
        model: provider(settings.model),
        instructions: INSTRUCTIONS,
        messages,
        ...aiSdkLiveTools(recorder, { search }),
        stopWhen: isStepCount(MOST_STEPS),
        abortSignal: signal,
        // Errors arrive in the stream as well; without this they would be written to the console.
        onError: () => {},
      });
      let hasBegun = false;
      try {
        for await (const part of result.stream) {
          if (part.type === "error") throw part.error;
          hasBegun ||= !NOT_OF_THE_MODEL.has(part.type);
          if (part.type === "text-delta") print?.(part.text);
        }
      } catch (error) {
        throw modelError(error, settings, { hasBegun });
      }
      signal.throwIfAborted();
      if ((await result.finishReason) === "tool-calls") throw tooManySteps();
      history = [...messages, ...(await result.responseMessages)];
      return { text: await result.text, calls: recorder.takeCalls() };
    },
  };
}
