import type { GetPromptResult } from "@jackfield/mcp-core";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { standardContent, toBlocks } from "./content-blocks.ts";

/**
 * A prompt's messages, for an agent or a model. A text is a plain message; images, sounds, videos and documents are standard
 * content blocks, everything else is text with its URI. Consecutive messages of the same role are not merged.
 *
 * @param prompt - the result of `getPrompt`.
 */
export function langchainPromptMessages(prompt: GetPromptResult): (HumanMessage | AIMessage)[] {
  return prompt.messages.flatMap(({ role, content }) => {
    const blocks = toBlocks([content]);
    if (blocks.length === 0) return [];
    const isText = blocks.every((block) => block.type === "text");
    const fields = isText ? { content: blocks.map(({ text }) => text).join("") } : standardContent(blocks);
    return role === "assistant" ? new AIMessage(fields) : new HumanMessage(fields);
  });
}
