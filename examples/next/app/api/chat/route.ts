// examples/next/app/api/chat/route.ts
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkCallSettings } from "@jackfield/mcp-ai-sdk";
import { convertToModelMessages, isStepCount, streamText, type UIMessage } from "ai";
import { openMcp } from "jackfield";

export async function POST(request: Request) {
  const configFiles = [process.env.MCP_CONFIG ?? "mcp.json"];
  const mcp = await openMcp({ id: "chat", discover: false, configFiles });
  const { messages } = (await request.json()) as { messages: UIMessage[] };
  const model = createOpenAICompatible({ name: "mine", baseURL: process.env.OPENAI_BASE_URL ?? "" })(
    "llama3.1",
  );
  const result = streamText({
    model,
    messages: await convertToModelMessages(messages),
    stopWhen: isStepCount(8),
    abortSignal: request.signal,
    ...aiSdkCallSettings(mcp, { model, approval: "annotations" }),
  });
  return result.toUIMessageStreamResponse({ originalMessages: messages });
}
