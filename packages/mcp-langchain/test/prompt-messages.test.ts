import type { GetPromptResult } from "@jackfield/mcp-core";
import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { langchainPromptMessages } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const PROMPT: GetPromptResult = {
  messages: [
    { role: "user", content: { type: "text", text: "What is this?" } },
    { role: "user", content: { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } },
    { role: "assistant", content: { type: "resource", resource: { uri: "file:///a.md", text: "# A" } } },
    { role: "user", content: { type: "resource_link", uri: "file:///b.md", name: "b" } },
  ],
};
const IMAGE = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };

describe("a prompt", () => {
  it("becomes messages with their roles, text as strings and media as standard blocks", () => {
    const messages = langchainPromptMessages(PROMPT);
    expect(messages.map(({ type, content }) => [type, content])).toEqual([
      ["human", "What is this?"],
      ["human", [IMAGE]],
      ["ai", "[resource: file:///a.md]\n# A"],
      ["human", "[link: b <file:///b.md>]"],
    ]);
    expect(messages[1]?.contentBlocks).toEqual([IMAGE]);
    expect(HumanMessage.isInstance(messages[0]) && AIMessage.isInstance(messages[2])).toBe(true);
  });

  it("[T28] leaves out a message whose text is blank, which providers refuse", () => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: " " } }];
    expect(langchainPromptMessages({ messages })).toEqual([]);
  });

  it("keeps its media when the conversation is stored and restored", () => {
    const json = JSON.stringify(mapChatMessagesToStoredMessages(langchainPromptMessages(PROMPT)));
    const again = mapStoredMessagesToChatMessages(JSON.parse(json));
    expect(again[1]?.contentBlocks).toEqual([IMAGE]);
  });

  it("is accepted as an agent's input messages", async () => {
    const model = new ScriptedModel(["A dot."]);
    const { messages } = await createAgent({ model }).invoke({ messages: langchainPromptMessages(PROMPT) });
    expect(messages.at(-1)?.text).toBe("A dot.");
    expect(model.prompts[0]).toHaveLength(4);
  });
});
