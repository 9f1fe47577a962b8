import type { ContentBlock as McpContentBlock } from "@jackfield/mcp-core";
import { classifyResult, partText, type ResultPart } from "@jackfield/mcp-tools";
import type { ContentBlock } from "@langchain/core/messages";

/** LangChain's standard content blocks that have a counterpart in MCP. `data` is base64. */
export type LangchainBlock = ContentBlock.Text | ContentBlock.Multimodal.Standard;

/** Converts MCP content blocks to LangChain's, in order. */
export function toBlocks(content: McpContentBlock[]): LangchainBlock[] {
  return classifyResult({ content }).parts.map(toBlock);
}

/** Converts a part to a block: images, sounds, videos and documents to their own kind, everything else to text. */
export function toBlock(part: ResultPart): LangchainBlock {
  if (part.kind !== "media") return { type: "text", text: partText(part) };
  const { media, mimeType, data } = part;
  return { type: media === "document" ? "file" : media, mimeType, data };
}

/**
 * The fields of a human or AI message with standard content blocks. `contentBlocks` would make the same message, but one that is
 * empty after it was stored with `mapChatMessagesToStoredMessages` and read again.
 */
export function standardContent(content: LangchainBlock[]): {
  content: LangchainBlock[];
  response_metadata: { output_version: "v1" };
} {
  return { content, response_metadata: { output_version: "v1" } };
}
