import type { JsonValue, ToolCallResult } from "@jackfield/mcp-core";
import {
  classifyResult,
  isMedia,
  type MediaPart,
  partText,
  type ResourceBlobPart,
  type ResultPart,
  resultText,
} from "@jackfield/mcp-tools";
import { givenUpText, isProgress } from "./tool-run.ts";

/** The AI SDK's major version. */
export type AiSdkMajor = 6 | 7;

/**
 * A part of an output that is more than text. `data` is base64. The type has the forms that AI SDK 6 and 7 both declare; at run
 * time 7 gets its own, `{ type: "file", mediaType, data: { type: "data", data } }`, which 6 does not know.
 */
export type AiSdkContentPart =
  | { type: "text"; text: string }
  | { type: "image-data"; mediaType: string; data: string }
  | { type: "file-data"; mediaType: string; data: string };

type Ai7FilePart = { type: "file"; mediaType: string; data: { type: "data"; data: string } };

/** A tool's output as the model gets it: the forms of the AI SDK's `ToolResultOutput` that are used here. */
export type AiSdkModelOutput =
  | { type: "text"; value: string }
  | { type: "json"; value: JsonValue }
  | { type: "error-text"; value: string }
  | { type: "content"; value: AiSdkContentPart[] };

/**
 * Converts a tool's output for a model: `error-text` for an error, and for the progress of an aborted call; `json` if there is
 * structured content only; `content` with file parts if there are images, sounds, videos or PDF documents that can be decoded; else
 * `text`.
 *
 * The output may come from a stored conversation and be anything; what is not a result is passed on as it is.
 */
export function toModelOutput(output: unknown, major: AiSdkMajor): AiSdkModelOutput {
  if (!isResult(output)) {
    return typeof output === "string"
      ? { type: "text", value: output }
      : { type: "json", value: (output ?? null) as JsonValue };
  }
  if (isProgress(output)) return { type: "error-text", value: givenUpText(output) };
  const classified = classifyResult(output);
  const { parts, isError } = classified;
  if (isError) return { type: "error-text", value: resultText(classified) };
  const [first] = parts;
  if (parts.length === 1 && first?.kind === "data") return { type: "json", value: first.value };
  if (parts.some(isMedia)) return { type: "content", value: parts.map((part) => toContentPart(part, major)) };
  return { type: "text", value: resultText(classified) };
}

function isResult(output: unknown): output is ToolCallResult {
  return (
    typeof output === "object" && output !== null && "content" in output && Array.isArray(output.content)
  );
}

function toContentPart(part: ResultPart, major: AiSdkMajor): AiSdkContentPart {
  if (!isMedia(part)) return { type: "text", text: partText(part) };
  const { mimeType: mediaType, data } = part;
  if (major === 6) return { type: isImage(part) ? "image-data" : "file-data", mediaType, data };
  const file: Ai7FilePart = { type: "file", mediaType, data: { type: "data", data } };
  return file as unknown as AiSdkContentPart;
}

function isImage({ mimeType }: MediaPart | ResourceBlobPart): boolean {
  return /^image\//i.test(mimeType);
}
