import type { ContentBlock, ToolCallResult } from "@jackfield/mcp-core";
import { blocksOf, isKnownBlock, jsonText } from "../known-block.ts";
import { cutText } from "./cut-text.ts";
import type { ParsedLimits } from "./result-limits.ts";

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
  const content = blocksOf(result).flatMap((block) => limitBlock(block, limits, room, missing));
  if (room.lost() > 0) missing.unshift(`${room.lost()} of ${room.total()} characters of text`);
  const { structuredContent, ...rest } = result;
  const isStructuredKept = keepsStructured(structuredContent, limits, room, missing);
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
    case "resource": {
      const { resource } = block;
      if (!room.takeWhole(resource.uri)) return leftOut("a resource", missing);
      if ("blob" in resource) return fitsBinary(resource.blob, block.type, limits, missing) ? [block] : [];
      const text = room.take(resource.text);
      return [text === resource.text ? block : { ...block, resource: { ...resource, text } }];
    }
    case "resource_link": {
      const { uri, name, title = "", description } = block;
      if (!room.takeWhole(`${uri}${name}${title}`)) return leftOut("a link", missing);
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
  { maxResultChars }: ParsedLimits,
  room: Room,
  missing: string[],
): boolean {
  if (structured === undefined) return false;
  if (maxResultChars === Number.POSITIVE_INFINITY) return true;
  const text = jsonText(structured);
  if (text.length <= maxResultChars) return true;
  missing.push(`structured content of ${text.length} characters`);
  room.record(text);
  return false;
}
