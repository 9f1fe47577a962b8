import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { jsonSchema, streamText, tool } from "ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OfflineModel, startOfflineModel } from "../../src/offline-model/server.ts";
import { chatTool } from "../fixtures/demo-tools.ts";

const { name, description, parameters } = chatTool("everything__echo");
const prompt = 'Echo the message "a rather long message, in several pieces"';
const args = { message: "a rather long message, in several pieces" };

let model: OfflineModel;

beforeEach(async () => {
  model = await startOfflineModel();
});

afterEach(() => model.close());

describe("the offline model's streams", () => {
  it("are parsed by the AI SDK's provider, with tool calls and usage", async () => {
    const provider = createOpenAICompatible({ name: "offline", baseURL: model.baseUrl, includeUsage: true });
    const result = streamText({
      model: provider("offline-stand-in"),
      prompt,
      tools: { [name]: tool({ description, inputSchema: jsonSchema(parameters) }) },
    });
    expect(await result.toolCalls).toMatchObject([{ toolName: name, input: args }]);
    expect((await result.usage).totalTokens).toBeGreaterThan(0);
    expect(await result.finishReason).toBe("tool-calls");
  });

  it("are parsed by LangChain's provider, with tool calls and usage", async () => {
    const chat = new ChatOpenAI({
      model: "offline-stand-in",
      apiKey: "none",
      configuration: { baseURL: model.baseUrl },
    }).bindTools([{ type: "function", function: { name, description, parameters } }]);
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await chat.stream(prompt)) chunks.push(chunk);
    const whole = chunks.reduce((sum, chunk) => sum.concat(chunk));
    expect(whole.tool_calls).toMatchObject([{ name, args }]);
    expect(whole.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) });
  });
});
