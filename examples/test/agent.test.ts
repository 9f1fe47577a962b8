// examples/test/agent.test.ts
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { McpServer } from "@modelcontextprotocol/server";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { openMcp } from "jackfield";
import { expect, test } from "vitest";
import { z } from "zod";

function tracker() {
  const server = new McpServer({ name: "tracker", version: "1.0.0" });
  server.registerTool("close_issue", { inputSchema: z.object({ id: z.number() }) }, async ({ id }) => ({
    content: [{ type: "text", text: `Issue ${id} is closed.` }],
  }));
  return server;
}

test("the agent closes the issue", async () => {
  const servers = { tracker: { server: tracker } };
  await using mcp = await openMcp({ discover: false, cache: false, servers });
  const said = [call("mcp__tracker__close_issue", { id: 7 }), { type: "text" as const, text: "Done." }];
  const model = new MockLanguageModelV4({ doGenerate: said.map(answer) });
  const { text, steps } = await generateText({
    model,
    prompt: "Close 7.",
    tools: aiSdkTools(mcp),
    stopWhen: isStepCount(3),
  });
  expect(text).toBe("Done.");
  expect(JSON.stringify(steps[0]?.toolResults)).toContain("Issue 7 is closed.");
});

function call(toolName: string, input: object) {
  return { type: "tool-call" as const, toolCallId: "1", toolName, input: JSON.stringify(input) };
}

function answer(content: ReturnType<typeof call> | { type: "text"; text: string }) {
  const finishReason = {
    unified: content.type === "text" ? ("stop" as const) : ("tool-calls" as const),
    raw: undefined,
  };
  const none = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
  return { content: [content], finishReason, usage: { inputTokens: none, outputTokens: none }, warnings: [] };
}
