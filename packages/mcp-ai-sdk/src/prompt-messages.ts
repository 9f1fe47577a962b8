import type { ContentBlock, GetPromptResult, ReadResourceResult } from "@jackfield/mcp-core";
import { classifyResult, partText } from "@jackfield/mcp-tools";

/** A part of a message that AI SDK 6 and 7 both take. `data` is base64. */
export type AiSdkMessagePart =
  | { type: "text"; text: string }
  | { type: "file"; data: string; mediaType: string };

/** A message of the AI SDK, its `ModelMessage`. */
export type AiSdkMessage =
  | { role: "user"; content: AiSdkMessagePart[] }
  | { role: "assistant"; content: AiSdkMessagePart[] };

/**
 * A prompt's messages, for `messages` of the AI SDK. Images, sounds, videos and PDF documents become files, everything else becomes
 * text that names its URI. Consecutive messages of the same role are not merged.
 *
 * @param prompt - the result of `getPrompt`.
 */
export function aiSdkPromptMessages(prompt: GetPromptResult): AiSdkMessage[] {
  return prompt.messages
    .map(({ role, content }) => ({ role, content: partsOf([content]) }))
    .filter(({ content }) => content.length > 0);
}

/**
 * A resource's contents as parts of a user's message.
 *
 * @param resource - the result of `readResource`.
 */
export function aiSdkResourceParts(resource: ReadResourceResult): AiSdkMessagePart[] {
  return partsOf(resource.contents.map((contents) => ({ type: "resource", resource: contents })));
}

function partsOf(content: ContentBlock[]): AiSdkMessagePart[] {
  return classifyResult({ content }).parts.map((part) =>
    part.kind === "media"
      ? { type: "file", data: part.data, mediaType: part.mimeType }
      : { type: "text", text: partText(part) },
  );
}
