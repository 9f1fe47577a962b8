import { isRecord, type JsonObject, type JsonValue, type ToolCallResult } from "@jackfield/mcp-core";
import { type MediaKind, readBytes, withTextOfBytes } from "./content-bytes.ts";
import { shownText, shownValue } from "./shown-text.ts";
import { withoutRepetition } from "./structured-content.ts";

/** Bytes that a model may be able to see, hear or read. */
export interface MediaPart {
  readonly kind: "media";
  readonly media: MediaKind;
  /** What the bytes are, by its registered name: `image/png`, `image/jpeg`, `image/gif` or `image/webp`, `application/pdf`, `audio/…`, `video/…`. */
  readonly mimeType: string;
  /** Base64 in the standard alphabet, padded, in one line. */
  readonly data: string;
  readonly byteLength: number;
  /** The address, if the bytes are a resource. */
  readonly uri?: string | undefined;
}

/** Bytes that no model takes, or something that the server called bytes and is none. */
export interface UnshownPart {
  readonly kind: "unshown";
  readonly what: "image" | "audio" | "resource";
  readonly mimeType?: string | undefined;
  readonly byteLength?: number | undefined;
  readonly uri?: string | undefined;
}

/** One part of a result, from which adapters build the form of their framework. */
export type ResultPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "resource-text"; readonly uri: string; readonly text: string }
  | MediaPart
  | UnshownPart
  | {
      readonly kind: "link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
    }
  /** The structured content, without what the blocks say already. */
  | { readonly kind: "data"; readonly value: JsonValue };

/** A tool's result, sorted into parts. */
export interface ClassifiedResult {
  /** Without parts, it held nothing that could be shown. */
  readonly parts: readonly ResultPart[];
  readonly isError: boolean;
  /** Whether blocks were left out because their server addresses them to the user alone (`annotations.audience`). */
  readonly isForUser: boolean;
}

/**
 * Sorts what a model may read of a tool's result into parts, in the server's order, structured content last.
 *
 * Accepts whatever a server may send and never throws: blocks of unknown kinds become JSON text. Left out are blank texts, blocks that are
 * for the user alone, and structured content that the blocks repeat. Every text is well-formed, and bytes that are text are text.
 */
export function classifyResult(result: ToolCallResult): ClassifiedResult {
  const answer: Partial<ToolCallResult> = isRecord(result) ? result : {};
  const blocks: readonly unknown[] = Array.isArray(answer.content) ? withTextOfBytes(answer.content) : [];
  const forModel = blocks.filter((block) => !isForUserAlone(block));
  const parts = forModel.map(classifyBlock).filter((part) => part.kind !== "text" || part.text.trim() !== "");
  const structured = structuredPart(answer.structuredContent, blocks);
  if (structured !== undefined) parts.push(structured);
  return { parts, isError: answer.isError === true, isForUser: forModel.length < blocks.length };
}

/** "audience": whom the block is for, `user`, `assistant` or both (MCP specification, server/tools, annotations). */
function isForUserAlone(block: unknown): boolean {
  const annotations = isRecord(block) ? block.annotations : undefined;
  const audience = isRecord(annotations) ? [annotations.audience ?? []].flat() : [];
  return audience.includes("user") && !audience.includes("assistant");
}

function classifyBlock(block: unknown): ResultPart {
  return (isRecord(block) ? knownPart(block) : undefined) ?? { kind: "text", text: jsonText(block) };
}

/** The part a block is, or `undefined` if its kind is not known or a field that the kind needs is missing. */
function knownPart(block: JsonObject): ResultPart | undefined {
  const { type, text, data, mimeType, uri, name, description } = block;
  switch (type) {
    case "text":
      return isString(text) ? { kind: "text", text: shownText(text) } : undefined;
    case "image":
    case "audio":
      return isString(data) ? bytesPart(data, mimeType, { what: type }) : undefined;
    case "resource":
      return isRecord(block.resource) ? resourcePart(block.resource) : undefined;
    case "resource_link":
      if (!isString(uri)) return undefined;
      return {
        kind: "link",
        uri: shownText(uri),
        name: shownText(isString(name) ? name : uri),
        description: isString(description) ? shownText(description) : undefined,
        mimeType: isString(mimeType) ? mimeType.toWellFormed() : undefined,
      };
    default:
      return undefined;
  }
}

function resourcePart({ uri, text, blob, mimeType }: JsonObject): ResultPart | undefined {
  if (!isString(uri)) return undefined;
  const shownUri = shownText(uri);
  if (isString(text)) return { kind: "resource-text", uri: shownUri, text: shownText(text) };
  return isString(blob) ? bytesPart(blob, mimeType, { what: "resource", uri: shownUri }) : undefined;
}

function bytesPart(
  data: string,
  mimeType: unknown,
  at: Pick<UnshownPart, "what" | "uri">,
): MediaPart | UnshownPart {
  const declared = isString(mimeType) && mimeType.trim() !== "" ? mimeType.toWellFormed() : undefined;
  const bytes = readBytes(data, declared);
  // Sounds have names of other kinds as well, such as application/ogg.
  const media =
    bytes?.media ?? (at.what === "audio" && !declared?.startsWith("image/") ? "audio" : undefined);
  if (bytes?.mimeType === undefined || media === undefined)
    return { kind: "unshown", ...at, mimeType: bytes?.mimeType ?? declared, byteLength: bytes?.byteLength };
  const { mimeType: type, base64, byteLength } = bytes;
  return { kind: "media", media, mimeType: type, data: base64, byteLength, uri: at.uri };
}

function structuredPart(structured: unknown, blocks: readonly unknown[]): ResultPart | undefined {
  if (structured === undefined) return undefined;
  const value = asJson(structured);
  if (value === undefined) return { kind: "text", text: NOT_JSON };
  // Those for the user alone count as well: what they say is not for the model.
  const texts = blocks.flatMap((block) =>
    isRecord(block) && block.type === "text" && isString(block.text) && block.text !== "" ? [block.text] : [],
  );
  const unrepeated = withoutRepetition(value, texts, blocks);
  return unrepeated === undefined ? undefined : { kind: "data", value: shownValue(unrepeated) };
}

/** In-process servers give objects that never went through JSON. */
function asJson(value: unknown): JsonValue | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as JsonValue;
  } catch {
    return undefined;
  }
}

const NOT_JSON = "[content that cannot be written as JSON]";

function jsonText(block: unknown): string {
  const value = asJson(block);
  return value === undefined ? NOT_JSON : JSON.stringify(shownValue(value));
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
