// examples/serverless.mts
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { generateText, isStepCount } from "ai";
import { openMcp } from "jackfield";

const { OPENAI_BASE_URL: baseURL = "", TRACKER_URL: url = "" } = process.env;
const model = createOpenAICompatible({ name: "mine", baseURL })("llama3.1");

/** Opened with the first request, and kept for as long as the platform keeps this instance. */
const opening = openMcp({
  discover: false, // There is nothing to find.
  cache: false, // The disk is empty at each start.
  servers: { tracker: { url } }, // Remote servers: a function should start no processes.
  limits: { idleTimeoutMs: 60_000 }, // An instance may be frozen between two requests.
});

export async function handler({ prompt }: { prompt: string }): Promise<{ text: string }> {
  const mcp = await opening;
  const { text } = await generateText({ model, prompt, tools: aiSdkTools(mcp), stopWhen: isStepCount(8) });
  return { text };
}
