import type { ContentBlock, GetPromptResult, ReadResourceResult } from "@jackfield/mcp-core";
import { classifyResult, isMedia, partText } from "@jackfield/mcp-tools";

/** A part of a message that both majors of the AI SDK take. `data` is base64. */
export type AiSdkMessagePart =
  | { type: "text"; text: string }
  | { type: "file"; data: string; mediaType: string };

/** A message of the AI SDK, its `ModelMessage`. */
export type AiSdkMessage =
  | { role: "user"; content: AiSdkMessagePart[] }
  | { role: "assistant"; content: AiSdkMessagePart[] };

/**
 * A prompt's messages, for `messages` of the AI SDK. Images, sounds, videos and PDF documents become files, everything else
 * text, with addresses named. Messages of the same role that follow one another stay apart.
 *
 * @param prompt What `getPrompt` answered.
 */
export function aiSdkPromptMessages(prompt: GetPromptResult): AiSdkMessage[] {
  return prompt.messages.map(({ role, content }) => ({ role, content: partsOf([content]) }));
}

/**
 * A resource's contents as parts of a user's message.
 *
 * @param resource What `readResource` answered.
 */
export function aiSdkResourceParts(resource: ReadResourceResult): AiSdkMessagePart[] {
  return partsOf(resource.contents.map((contents) => ({ type: "resource", resource: contents })));
}

function partsOf(content: ContentBlock[]): AiSdkMessagePart[] {
  return classifyResult({ content }).parts.map((part) =>
    isMedia(part)
      ? { type: "file", data: part.data, mediaType: part.mimeType }
      : { type: "text", text: partText(part) },
  );
}
