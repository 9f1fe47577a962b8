import type { JsonValue, ToolCallResult } from "@jackfield/mcp-core";
import { classifyResult, isMedia, partText, type ResultPart, resultText } from "@jackfield/mcp-tools";

/** A part of an answer that has more than text (AI SDK 7). `data` is base64. */
export type AiSdkContentPart =
  | { type: "text"; text: string }
  | { type: "file"; mediaType: string; data: { type: "data"; data: string } };

/** What a model is given of a tool's answer: the forms of the AI SDK's `ToolResultOutput` that are used here. */
export type AiSdkModelOutput =
  | { type: "text"; value: string }
  | { type: "json"; value: JsonValue }
  | { type: "error-text"; value: string }
  | { type: "content"; value: AiSdkContentPart[] };

/**
 * Writes a tool's output for a model: `error-text` if it is an error; `json` if there is structured content only;
 * `content` with file parts if there are images, sounds, videos or PDF documents; else `text`.
 *
 * The output may come from a conversation that was stored, and so from anything; what is no result is given as it is.
 */
export function toModelOutput(output: unknown): AiSdkModelOutput {
  if (!isResult(output)) {
    return typeof output === "string"
      ? { type: "text", value: output }
      : { type: "json", value: (output ?? null) as JsonValue };
  }
  const classified = classifyResult(output);
  const { parts, isError } = classified;
  if (isError) return { type: "error-text", value: resultText(classified) };
  const [first] = parts;
  if (parts.length === 1 && first?.kind === "data") return { type: "json", value: first.value };
  if (parts.some(isMedia)) return { type: "content", value: parts.map(toContentPart) };
  return { type: "text", value: resultText(classified) };
}

function isResult(output: unknown): output is ToolCallResult {
  return (
    typeof output === "object" && output !== null && "content" in output && Array.isArray(output.content)
  );
}

function toContentPart(part: ResultPart): AiSdkContentPart {
  if (!isMedia(part)) return { type: "text", text: partText(part) };
  return { type: "file", mediaType: part.mimeType, data: { type: "data", data: part.data } };
}
