import type { ContentBlock, ToolCallResult } from "@jackfield/mcp-core";
import { blocksOf, isKnownBlock, jsonText } from "../known-block.ts";
import { cutText } from "./cut-text.ts";
import type { ParsedLimits } from "./result-limits.ts";
import { unsaidLength } from "./unsaid-length.ts";

/** A result within its limits. */
export interface LimitedResult {
  readonly result: ToolCallResult;
  /** What is missing, a phrase each; nothing if the result is as it was. */
  readonly missing: readonly string[];
  /** Everything a model could have read. */
  whole(): string;
}

/** Whether a result is nothing but texts for which there is room, as most are. `false` says nothing. */
export function isShortText(
  { content, structuredContent }: ToolCallResult,
  { maxResultChars }: ParsedLimits,
): boolean {
  if (structuredContent !== undefined || !Array.isArray(content)) return false;
  let length = 0;
  for (const block of content as readonly unknown[]) {
    if (!isKnownBlock(block) || block.type !== "text") return false;
    length += block.text.length;
  }
  return length <= maxResultChars;
}

/**
 * Cuts texts between two characters, and leaves out whatever is of no use in part: images, sounds, structured content,
 * blocks of unknown kinds. Linear in the size of the result.
 */
export function limitResult(result: ToolCallResult, limits: ParsedLimits): LimitedResult {
  const room = createRoom(limits.maxResultChars);
  const missing: string[] = [];
  const blocks = blocksOf(result);
  // An image is not lost to a text before it that takes all the room there is.
  const unnamed = new Set(blocks.filter((block) => isMedia(block) && !room.takeWhole(block.mimeType)));
  const content = blocks.flatMap((block) =>
    unnamed.has(block) ? leftOut("an image or a sound", missing) : limitBlock(block, limits, room, missing),
  );
  if (room.lost() > 0) missing.unshift(`${room.lost()} of ${room.total()} characters of text`);
  const { structuredContent, ...rest } = result;
  const isStructuredKept = keepsStructured(structuredContent, content, limits, room, missing);
  const whole = () => room.texts().join("\n");
  if (missing.length === 0) return { result, missing, whole };
  return {
    result: { ...rest, ...(isStructuredKept ? { structuredContent } : {}), content },
    missing,
    whole,
  };
}

/** What all texts of a result share. */
interface Room {
  /** As much of the text as there is room for. */
  take(text: string): string;
  /** Takes an address or a name, whole or not at all. */
  takeWhole(text: string): boolean;
  /** Whether there is room for so many characters. */
  has(length: number): boolean;
  /** Keeps what is left out in whole. */
  record(text: string): void;
  texts(): readonly string[];
  lost(): number;
  total(): number;
}

function createRoom(maxChars: number): Room {
  const texts: string[] = [];
  let left = maxChars;
  let lost = 0;
  let total = 0;
  return {
    take(text) {
      texts.push(text);
      const kept = cutText(text, left);
      left -= kept.length;
      total += text.length;
      lost += text.length - kept.length;
      return kept;
    },
    takeWhole(text) {
      if (text.length > left) return false;
      left -= text.length;
      return true;
    },
    has: (length) => length <= left,
    record: (text) => void texts.push(text),
    texts: () => texts,
    lost: () => lost,
    total: () => total,
  };
}

function limitBlock(block: unknown, limits: ParsedLimits, room: Room, missing: string[]): ContentBlock[] {
  if (!isKnownBlock(block)) {
    // What it is will be shown as JSON, if at all.
    return room.takeWhole(jsonText(block))
      ? [block as ContentBlock]
      : leftOut("a part of an unknown kind", missing);
  }
  switch (block.type) {
    case "text":
      return limitText(block, room);
    case "resource":
      return limitResource(block, limits, room, missing);
    case "resource_link": {
      const { uri, name, title = "", description, mimeType = "" } = block;
      if (!room.takeWhole(`${uri}${name}${title}${mimeType}`)) return leftOut("a link", missing);
      return [description === undefined ? block : { ...block, description: room.take(description) }];
    }
    default:
      return fitsBinary(block.data, block.type, limits, missing) ? [block] : [];
  }
}

function limitText(block: Extract<ContentBlock, { type: "text" }>, room: Room): ContentBlock[] {
  const text = room.take(block.text);
  if (text === block.text) return [block];
  return text === "" ? [] : [{ ...block, text }];
}

/** Servers send texts and bytes together, too. A model then reads the text. */
function limitResource(
  block: Extract<ContentBlock, { type: "resource" }>,
  limits: ParsedLimits,
  room: Room,
  missing: string[],
): ContentBlock[] {
  const { resource } = block;
  const { text, blob }: { readonly text?: unknown; readonly blob?: unknown } = resource;
  if (!room.takeWhole(`${resource.uri}${resource.mimeType ?? ""}`)) return leftOut("a resource", missing);
  if (typeof blob === "string" && !fitsBinary(blob, block.type, limits, missing)) return [];
  if (typeof text !== "string") return [block];
  const kept = room.take(text);
  return [kept === text ? block : { ...block, resource: { ...resource, text: kept } }];
}

function isMedia(block: unknown): block is Extract<ContentBlock, { type: "image" | "audio" }> {
  return isKnownBlock(block) && (block.type === "image" || block.type === "audio");
}

function leftOut(what: string, missing: string[]): [] {
  missing.push(what);
  return [];
}

function fitsBinary(
  base64: string,
  type: string,
  { maxBinaryBytes }: ParsedLimits,
  missing: string[],
): boolean {
  const bytes = Buffer.byteLength(base64, "base64");
  if (bytes <= maxBinaryBytes) return true;
  missing.push(`a part of type ${type} with ${bytes} bytes`);
  return false;
}

function keepsStructured(
  structured: unknown,
  content: readonly ContentBlock[],
  { maxResultChars }: ParsedLimits,
  room: Room,
  missing: string[],
): boolean {
  if (structured === undefined) return false;
  if (maxResultChars === Number.POSITIVE_INFINITY) return true;
  const text = jsonText(structured);
  if (room.has(text.length)) return true;
  const isShort = text.length <= maxResultChars;
  if (isShort && room.has(unsaidLength(text, content, missing.length === 0))) return true;
  missing.push(`structured content of ${text.length} characters`);
  room.record(text);
  return false;
}
