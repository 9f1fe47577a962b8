import {
  type CallMiddleware,
  type ContentBlock,
  checkOptions,
  type OptionKind,
  optionKinds,
  type ToolCallResult,
  type ToolDescriptor,
} from "@jackfield/mcp-core";
import { blocksOf, isKnownBlock, jsonText } from "../known-block.ts";
import type { Provenance } from "../marking/boundary.ts";
import { cutText } from "./cut-text.ts";
import { type ParsedLimits, parseLimits, type ResultLimits } from "./result-limits.ts";
import type { ResultStore } from "./result-store.ts";

/** How much of a result a model gets to read, for all servers and for individual ones. */
export interface LimitResultsOptions extends ResultLimits {
  /** Limits for individual servers by name; each field overrides the general one. */
  readonly servers?: Readonly<Record<string, ResultLimits>> | undefined;
  /** Where the full text of a cut result is kept, for example `resultDirectory()`. Default: it is dropped. */
  readonly store?: ResultStore | undefined;
}

const { any, record } = optionKinds;
/** Limits are checked where they are read. */
const OPTIONS: Record<keyof LimitResultsOptions, OptionKind> = {
  maxResultChars: any,
  maxBinaryBytes: any,
  servers: record,
  store: record,
};

/**
 * Limits what a model reads of a result; a program gets all of it. Texts are cut at a character boundary, and a notice at the
 * end says how much is missing and, with a store, where to read on. Structured content, links and URIs that do not fit are left
 * out whole, since a part of them would be useless. Structured content that the texts repeat takes no room. Linear in the size
 * of the result.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist, or a limit that is not a number of at least 0.
 */
export function limitResults(options: LimitResultsOptions = {}): CallMiddleware {
  checkOptions(options, OPTIONS);
  const { servers = {}, store, ...general } = options;
  const limits = parseLimits(general);
  const own = new Map(Object.entries(servers).map(([server, given]) => [server, parseLimits(given, limits)]));
  // Most results stay as they are; no async function is started for them.
  return ({ tool, options }, next) => {
    if (options.audience !== "model") return next();
    const within = own.get(tool.server) ?? limits;
    return next().then((result) =>
      isShortText(result, within) ? result : limitLong(result, within, tool, store),
    );
  };
}

async function limitLong(
  result: ToolCallResult,
  limits: ParsedLimits,
  { server, originalName }: ToolDescriptor,
  store: ResultStore | undefined,
): Promise<ToolCallResult> {
  const limited = limitResult(result, limits);
  if (limited.missing.length === 0) return result;
  const place = await keep(limited, store, { server, tool: originalName });
  return {
    ...limited.result,
    content: [...limited.result.content, { type: "text", text: notice("result", limited.missing, place) }],
  };
}

/** If the store fails, the model loses the rest of a text; the call, which was carried out, does not fail. */
async function keep(
  limited: LimitedResult,
  store: ResultStore | undefined,
  provenance: Provenance,
): Promise<string | undefined> {
  try {
    return await store?.save(limited.whole(), provenance);
  } catch {
    return undefined;
  }
}

/** A result within its limits. */
export interface LimitedResult {
  readonly result: ToolCallResult;
  /** A phrase for each missing part; empty if the result is unchanged. */
  readonly missing: readonly string[];
  /** All the text that a model could have read. */
  whole(): string;
}

/** Whether a result consists only of texts that fit, as most do. `false` is inconclusive. */
function isShortText(
  { content, structuredContent }: ToolCallResult,
  { maxResultChars, maxBlocks }: ParsedLimits,
): boolean {
  if (structuredContent !== undefined || !Array.isArray(content) || content.length > maxBlocks) return false;
  let length = 0;
  for (const block of content as readonly unknown[]) {
    if (!isKnownBlock(block) || block.type !== "text") return false;
    length += block.text.length;
  }
  return length <= maxResultChars;
}

/**
 * Cuts texts at a character boundary, and leaves out what is useless in part: images, audio, structured content, blocks of
 * unknown kinds. Linear in the size of the result.
 */
function limitResult(result: ToolCallResult, limits: ParsedLimits): LimitedResult {
  const { kept, room } = limitBlocks(Array.isArray(result.content) ? result.content : [], limits);
  const content = kept.flat();
  const { structuredContent, ...rest } = result;
  const isStructuredKept = keepsStructured(structuredContent, content, limits, room);
  const { missing } = room;
  const whole = () => room.texts.join("\n");
  if (missing.length === 0) return { result, missing, whole };
  return {
    result: { ...rest, ...(isStructuredKept ? { structuredContent } : {}), content },
    missing,
    whole,
  };
}

/** Blocks within their limits. */
export interface LimitedBlocks {
  /** What is left of each block: the block itself, a part of it or nothing. */
  readonly kept: readonly (readonly ContentBlock[])[];
  readonly room: Room;
}

/** Limits the content blocks of a result, a prompt or a resource. */
export function limitBlocks(given: readonly unknown[], limits: ParsedLimits): LimitedBlocks {
  const blocks = blocksOf({ content: given });
  const room = createRoom(limits.maxResultChars);
  const { missing } = room;
  // Media are counted first, so that texts before an image cannot use up its room.
  const media = Math.min(blocks.filter(isMedia).length, limits.maxBlocks);
  const left = { media, others: limits.maxBlocks - media };
  const fits = blocks.map((block) =>
    isMedia(block) ? left.media-- > 0 && room.takeWhole(block.mimeType) : left.others-- > 0,
  );
  const kept = blocks.map((block, at) => {
    if (fits[at]) return limitBlock(block, limits, room);
    if (isMedia(block)) return leftOut("an image or a sound", room, block);
    room.takePart(shownText(block), 0);
    return [];
  });
  if (left.others < 0) missing.unshift(`${-left.others} of ${blocks.length} parts`);
  if (room.missingChars > 0) missing.unshift(`${room.missingChars} of ${room.totalChars} characters of text`);
  return { kept, room };
}

/** The text that a model would have read of a block. */
function shownText(block: unknown): string {
  if (!isKnownBlock(block) || block.type === "resource_link") return jsonText(block);
  const { text } = (block.type === "resource" ? block.resource : block) as { readonly text?: unknown };
  return typeof text === "string" ? text : "";
}

/** The space that all texts of a result share. */
interface Room {
  /** Takes as much of a text as fits, or at most `maxLength` characters. */
  takePart(text: string, maxLength?: number): string;
  /** Takes an address or a name, whole or not at all. */
  takeWhole(text: string): boolean;
  /** Characters that still fit. */
  charsLeft: number;
  /** Characters of text that are missing, and how many there were (`totalChars`). */
  missingChars: number;
  totalChars: number;
  /** A phrase for each missing part. */
  readonly missing: string[];
  /** Every text, whether there was room for it or not. */
  readonly texts: string[];
}

function createRoom(maxChars: number): Room {
  const room: Room = {
    charsLeft: maxChars,
    missingChars: 0,
    totalChars: 0,
    missing: [],
    texts: [],
    takePart(text, maxLength = room.charsLeft) {
      const kept = cutText(text, maxLength);
      room.texts.push(text);
      room.charsLeft -= kept.length;
      room.totalChars += text.length;
      room.missingChars += text.length - kept.length;
      return kept;
    },
    takeWhole(text) {
      const fits = text.length <= room.charsLeft;
      if (fits) room.charsLeft -= text.length;
      return fits;
    },
  };
  return room;
}

function limitBlock(block: unknown, limits: ParsedLimits, room: Room): ContentBlock[] {
  if (!isKnownBlock(block)) {
    // A block of an unknown kind is shown as JSON, if at all.
    return room.takeWhole(jsonText(block))
      ? [block as ContentBlock]
      : leftOut("a part of an unknown kind", room, block);
  }
  switch (block.type) {
    case "text":
      return limitText(block, room);
    case "resource":
      return limitResource(block, limits, room);
    case "resource_link": {
      const { uri, name, title = "", description, mimeType = "" } = block;
      if (!room.takeWhole(`${uri}${name}${title}${mimeType}`)) return leftOut("a link", room, block);
      return [description === undefined ? block : { ...block, description: room.takePart(description) }];
    }
    default:
      return fitsBinary(block.data, block.type, limits, room) ? [block] : [];
  }
}

function limitText(block: Extract<ContentBlock, { type: "text" }>, room: Room): ContentBlock[] {
  const text = room.takePart(block.text);
  if (text === block.text) return [block];
  return text === "" ? [] : [{ ...block, text }];
}

/** A server may send both text and bytes. A model then reads the text. */
function limitResource(
  block: Extract<ContentBlock, { type: "resource" }>,
  limits: ParsedLimits,
  room: Room,
): ContentBlock[] {
  const { resource } = block;
  const { text, blob }: { readonly text?: unknown; readonly blob?: unknown } = resource;
  if (!room.takeWhole(`${resource.uri}${resource.mimeType ?? ""}`)) return leftOut("a resource", room, block);
  if (typeof blob === "string" && !fitsBinary(blob, block.type, limits, room)) return [];
  if (typeof text !== "string") return [block];
  const kept = room.takePart(text);
  return [kept === text ? block : { ...block, resource: { ...resource, text: kept } }];
}

function isMedia(block: unknown): block is Extract<ContentBlock, { type: "image" | "audio" }> {
  return isKnownBlock(block) && (block.type === "image" || block.type === "audio");
}

function leftOut(what: string, room: Room, block: unknown): [] {
  room.missing.push(what);
  room.texts.push(shownText(block));
  return [];
}

function fitsBinary(
  base64: string,
  type: string,
  { maxBinaryBytes }: ParsedLimits,
  { missing }: Room,
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
): boolean {
  if (structured === undefined) return false;
  if (maxResultChars === Number.POSITIVE_INFINITY) return true;
  const text = jsonText(structured);
  if (text.length <= room.charsLeft) return true;
  const isShort = text.length <= maxResultChars;
  if (isShort && unrepeatedLength(text, content, room.missing.length === 0) <= room.charsLeft) return true;
  room.missing.push(`structured content of ${text.length} characters`);
  room.texts.push(text);
  return false;
}

/**
 * How many characters structured content adds to the texts that came with it. Servers send the same content twice, as the
 * specification asks, and a model is not shown again what the texts say. A value whose members are in another order than in a
 * text counts as new. Linear in the size of both.
 *
 * @param json - the structured content
 * @param isWhole - whether the content stays as the server sent it, without a notice after it
 */
function unrepeatedLength(json: string, content: readonly unknown[], isWhole: boolean): number {
  const structured = parsed(json);
  if (typeof structured !== "object" || structured === null) return json.length;
  const contentTexts = contentTextsOf(content, isWhole);
  if (contentTexts.values.has(json)) return 0;
  if (Array.isArray(structured)) return json.length;
  const members = Object.entries(structured);
  const unrepeated = members.filter(([, value]) => {
    if (typeof value === "string") return !contentTexts.texts.has(value);
    return typeof value !== "object" || value === null || !contentTexts.values.has(jsonText(value));
  });
  if (unrepeated.length === members.length) return json.length;
  return unrepeated.length === 0 ? 0 : jsonText(Object.fromEntries(unrepeated)).length;
}

/** The texts of a result, as they are and as JSON. */
interface ContentTexts {
  readonly texts: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

function contentTextsOf(content: readonly unknown[], isWhole: boolean): ContentTexts {
  const texts = content.flatMap((block) =>
    isKnownBlock(block) && block.type === "text" && block.text !== "" ? [block.text] : [],
  );
  const values = texts.flatMap((text) => {
    const value = parsed(text);
    return typeof value === "object" && value !== null ? [jsonText(value)] : [];
  });
  // Blocks of an unknown kind are shown as text too, and would stand between the others.
  const isJoined = isWhole && texts.length > 0 && content.every(isKnownBlock);
  return {
    texts: new Set(isJoined ? [...texts, texts.join("\n")] : texts),
    values: new Set(isWhole ? [...values, jsonText(content)] : values),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reasons beyond this number are only counted. */
const MOST_REASONS = 5;

/** The notice that tells a model what was left out. */
export function notice(
  what: "result" | "prompt" | "resource" | "text",
  missing: readonly string[],
  place?: string,
): string {
  const more = missing.length - MOST_REASONS;
  const listed = [...missing.slice(0, MOST_REASONS), ...(more > 0 ? [`${more} more parts`] : [])].join(", ");
  const readOn = place === undefined ? "" : ` The full result is in ${place}.`;
  return `[This ${what} was too long. Missing: ${listed}.${readOn}]`;
}
