// examples/hono.mts
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { serve } from "@hono/node-server";
import { aiSdkCallSettings } from "@jackfield/mcp-ai-sdk";
import { convertToModelMessages, isStepCount, streamText, type UIMessage } from "ai";
import { Hono } from "hono";
import { openMcp } from "jackfield";

const { OPENAI_BASE_URL: baseURL = "", MCP_CONFIG = "mcp.json", PORT = "3000" } = process.env;
const model = createOpenAICompatible({ name: "mine", baseURL })("llama3.1");
const mcp = await openMcp({ discover: false, configFiles: [MCP_CONFIG] });

const app = new Hono();
app.get("/health", (c) => c.json(mcp.servers().map(({ name, status }) => ({ name, status }))));
app.post("/api/chat", async (c) => {
  const { messages } = await c.req.json<{ messages: UIMessage[] }>();
  const result = streamText({
    model,
    messages: await convertToModelMessages(messages),
    stopWhen: isStepCount(8),
    abortSignal: c.req.raw.signal, // A browser that leaves cancels the call on the MCP server.
    ...aiSdkCallSettings(mcp, { model }),
  });
  return result.toUIMessageStreamResponse({ originalMessages: messages });
});

const server = serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`port ${port}`));
process.once("SIGTERM", () => {
  server.close();
  void mcp.close({ drainMs: 10_000 });
});
