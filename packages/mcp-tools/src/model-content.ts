import { isRecord, type JsonValue, McpError } from "@jackfield/mcp-core";
import type { ClassifiedResult, MediaPart, ResultPart } from "./classified-result.ts";
import type { MediaKind } from "./content-bytes.ts";
import { imageSize } from "./image-size.ts";
import { sizeText } from "./shown-text.ts";

/** Which media a model's API takes in the result of a tool: all of a kind, or those of some types (`image/png`). What is missing, it does not take. */
export type MediaSupport = { readonly [kind in MediaKind]?: boolean | readonly string[] | undefined } & {
  /** The largest image that it takes, in bytes and in pixels on either side. A larger one would end the conversation. Default: any. */
  readonly largestImage?: { readonly bytes: number; readonly pixels: number } | undefined;
};

/**
 * What Claude's API takes: images of at most 8,000 pixels a side ("Vision", general limits), and of 5 MiB in base64, Amazon Bedrock's 3.75 MB
 * of bytes.
 */
export const CLAUDE_MEDIA: MediaSupport = {
  image: true,
  document: true,
  largestImage: { bytes: 3_750_000, pixels: 8_000 },
};

/** What a model reads of a result: one text, data, or texts and media in their order. */
export type ModelContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "data"; readonly value: JsonValue }
  | {
      readonly kind: "parts";
      readonly parts: readonly ({ readonly kind: "text"; readonly text: string } | MediaPart)[];
    };

/** What a model reads of a tool's result. Media that its API does not take are named in a line. */
export function modelContent(classified: ClassifiedResult, media: MediaSupport): ModelContent {
  const { parts } = classified;
  const [first] = parts;
  if (parts.length === 1 && first?.kind === "data") return { kind: "data", value: first.value };
  if (!parts.some((part) => isTaken(part, media)))
    return { kind: "text", text: resultText(classified, media) };
  return {
    kind: "parts",
    parts: parts.map((part) => (isTaken(part, media) ? part : { kind: "text", text: partText(part, media) })),
  };
}

function isTaken(part: ResultPart, media: MediaSupport): part is MediaPart {
  return part.kind === "media" && takesType(part, media) && !isTooLarge(part, media);
}

function takesType(part: MediaPart, media: MediaSupport): boolean {
  const taken = media[part.media];
  return Array.isArray(taken) ? taken.includes(part.mimeType) : taken === true;
}

function isTooLarge(part: MediaPart, { largestImage: most }: MediaSupport): boolean {
  if (part.media !== "image" || most === undefined) return false;
  const { width, height } = imageSize(part.data) ?? { width: 0, height: 0 };
  return part.byteLength > most.bytes || Math.max(width, height) > most.pixels;
}

/** The part as text. Bytes are named with their type, size and address, and why they are not shown if a smaller image would be; never written out. */
export function partText(part: ResultPart, media: MediaSupport = {}): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "resource-text":
      return `[resource: ${part.uri}]\n${part.text}`;
    case "media":
      return bytesText(part.media, part, takesType(part, media) ? media.largestImage : undefined);
    case "unshown":
      return bytesText(part.what, part);
    case "link":
      return linkText(part);
    case "data":
      return JSON.stringify(part.value);
  }
}

/** The whole result as text, parts separated by a blank line. Never empty: a sentence stands for a result without parts. */
export function resultText(
  { parts, isError, isForUser }: ClassifiedResult,
  media: MediaSupport = {},
): string {
  if (parts.length > 0) return parts.map((part) => partText(part, media)).join("\n\n");
  if (isForUser)
    return isError
      ? "The tool reported an error to the user alone."
      : "The tool's answer is shown to the user alone.";
  return isError ? "The tool reported an error without a message." : "The tool returned nothing.";
}

function bytesText(
  what: string,
  {
    uri,
    mimeType,
    byteLength,
  }: {
    readonly uri?: string | undefined;
    readonly mimeType?: string | undefined;
    readonly byteLength?: number | undefined;
  },
  largest?: MediaSupport["largestImage"],
): string {
  const facts = [mimeType, byteLength === undefined ? undefined : sizeText(byteLength)].filter(
    (fact) => fact !== undefined,
  );
  const described = facts.join(", ");
  const reason =
    largest === undefined
      ? ""
      : `: too large, at most ${sizeText(largest.bytes)} and ${largest.pixels} pixels a side are`;
  if (uri !== undefined)
    return `[resource: ${uri}${described === "" ? "" : ` (${described})`}, content not shown${reason}]`;
  return described === "" ? `[${what}, not shown]` : `[${what}: ${described}, not shown${reason}]`;
}

function linkText({ uri, name, description, mimeType }: Extract<ResultPart, { kind: "link" }>): string {
  const label = name === uri ? uri : `${name} <${uri}>`;
  const link = `[link: ${label}${mimeType === undefined ? "" : ` (${mimeType})`}]`;
  return description === undefined ? link : `${link} ${description}`;
}

/**
 * Rejects a `media` option that says nothing an adapter understands.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkMedia(media: unknown): void {
  if (media === undefined || media === "auto") return;
  if (isRecord(media) && Object.entries(media).every(([name, value]) => isSaying(name, value))) return;
  const message =
    'Option "media" must be "auto" or say which media the model takes in a tool\'s result: { image, audio, video, document }, each true, false or a list of media types, and largestImage: { bytes, pixels }.';
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

const KINDS: readonly string[] = ["image", "audio", "video", "document"] satisfies readonly MediaKind[];

function isSaying(name: string, value: unknown): boolean {
  if (value === undefined) return KINDS.includes(name) || name === "largestImage";
  if (name === "largestImage") return isRecord(value) && isPositive(value.bytes) && isPositive(value.pixels);
  return KINDS.includes(name) && (typeof value === "boolean" || isListOfTypes(value));
}

function isPositive(value: unknown): boolean {
  return typeof value === "number" && value > 0;
}

function isListOfTypes(value: unknown): boolean {
  return Array.isArray(value) && value.every((type) => typeof type === "string" && type.includes("/"));
}
