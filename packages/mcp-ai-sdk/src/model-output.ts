import { isRecord, type JsonValue, type ToolCallResult } from "@jackfield/mcp-core";
import {
  classifyResult,
  type MediaPart,
  type MediaSupport,
  modelContent,
  resultText,
  shownText,
  shownValue,
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

/** For whom an output is converted. */
export interface OutputOptions {
  readonly major: AiSdkMajor;
  readonly media: MediaSupport;
}

/**
 * Converts a tool's output for a model: `error-text` for an error, and for the progress of an aborted call; `json` if there is
 * structured content only; `content` if there are media that the model takes; else `text`.
 *
 * The output may come from a stored conversation and be anything; what is not a result is passed on as it is.
 */
export function toModelOutput(output: unknown, { major, media }: OutputOptions): AiSdkModelOutput {
  if (!isResult(output)) {
    return typeof output === "string"
      ? { type: "text", value: shownText(output) }
      : { type: "json", value: shownValue((output ?? null) as JsonValue) };
  }
  if (isProgress(output)) return { type: "error-text", value: givenUpText(output) };
  const classified = classifyResult(output);
  if (classified.isError) return { type: "error-text", value: resultText(classified) };
  const content = modelContent(classified, media);
  switch (content.kind) {
    case "text":
      return { type: "text", value: content.text };
    case "data":
      return { type: "json", value: content.value };
    case "parts":
      return {
        type: "content",
        value: content.parts.map((part) =>
          part.kind === "text" ? { type: "text", text: part.text } : filePart(part, major),
        ),
      };
  }
}

function isResult(output: unknown): output is ToolCallResult {
  return isRecord(output) && Array.isArray(output.content);
}

function filePart({ media, mimeType: mediaType, data }: MediaPart, major: AiSdkMajor): AiSdkContentPart {
  if (major === 6) return { type: media === "image" ? "image-data" : "file-data", mediaType, data };
  const file: Ai7FilePart = { type: "file", mediaType, data: { type: "data", data } };
  return file as unknown as AiSdkContentPart;
}

let installed: string | undefined;

/** The major of the AI SDK that is installed beside this package, read from its manifest; 6, whose forms 7 takes with a warning, if there is none. */
export function installedMajor(): AiSdkMajor {
  return installedVersion().startsWith("7.") ? 7 : 6;
}

/** The first version whose `toolSearch` asks the program itself. */
const TOOL_SEARCH_SINCE = [7, 0, 127];

/** Whether the SDK, of this major if it is known, has a `toolSearch` for which this program can search. */
export function hasToolSearch(major = installedMajor()): boolean {
  if (major !== 7) return false;
  const parts = installedVersion()
    .split(".")
    .map((part) => Number.parseInt(part, 10));
  const difference = TOOL_SEARCH_SINCE.map((part, at) => (parts[at] ?? 0) - part).find((by) => by !== 0) ?? 0;
  // Whoever says that it is 7, though another or none is seen from here, has a recent one.
  return parts[0] !== 7 || difference >= 0;
}

function installedVersion(): string {
  installed ??= readVersion();
  return installed;
}

function readVersion(): string {
  try {
    // Not imported: the banner that bundles of ES modules begin with declares `createRequire` itself.
    const { createRequire } = process.getBuiltinModule("node:module");
    const { version } = createRequire(import.meta.url)("ai/package.json") as { readonly version: string };
    return version;
  } catch {
    return "";
  }
}
