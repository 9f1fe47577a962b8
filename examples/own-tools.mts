// examples/own-tools.mts
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { generateText, isStepCount, tool } from "ai";
import { isMcpError, openMcp } from "jackfield";
import { z } from "zod";

const clock = tool({
  description: "The time of day.",
  inputSchema: z.object({}),
  execute: async () => new Date().toTimeString(),
});

const model = createOpenAICompatible({ name: "mine", baseURL: process.env.OPENAI_BASE_URL ?? "" })(
  "llama3.1",
);
const mcp = await openMcp({ naming: { reserved: ["clock"] } }); // No server's tool is called `clock`.
for (const { name, error } of mcp.report.failed) console.error(`${name}: ${error.code} ${error.message}`);

const tools = { ...aiSdkTools(mcp), clock };
const { text } = await generateText({
  model,
  prompt: "Say what you can do.",
  tools,
  stopWhen: isStepCount(8),
});
console.log(text);

try {
  await mcp.callTool({ server: "files", tool: "no_such_tool" }, {});
} catch (error) {
  if (isMcpError(error)) console.error(error.code, error.outcome, error.message);
}
await mcp.close();
