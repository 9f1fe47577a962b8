import type { CallMiddleware, ContentBlock, ToolCallResult } from "@jackfield/mcp-core";
import { cutText } from "./cut-text.ts";
import type { ResultStore } from "./result-store.ts";

/** How much of a result a model gets to read. */
export interface ResultLimits {
  /** Characters (UTF-16 units) of all texts of a result together. Default 50,000 (SideCar). `0` = no limit. */
  readonly maxResultChars?: number | undefined;
  /** Decoded bytes of one image, sound or binary resource. Default 5,242,880 (5 MiB). `0` = no limit. */
  readonly maxBinaryBytes?: number | undefined;
}

export interface LimitResultsOptions extends ResultLimits {
  /** Limits of single servers by name; they beat the general ones field by field. */
  readonly servers?: Readonly<Record<string, ResultLimits>> | undefined;
  /** Where the whole of a text that was cut is put, for example `resultDirectory()`. Default: it is dropped. */
  readonly store?: ResultStore | undefined;
}

const DEFAULTS = { maxResultChars: 50_000, maxBinaryBytes: 5_242_880 };

/**
 * Limits what a model reads of a result; a program gets all of it. Texts are cut between two characters, and a notice at
 * the end says how much is missing and, with a store, where to read on. Structured content that is longer than the limit
 * is left out whole, since half of it would not be data. Linear in the size of the result.
 */
export function limitResults({ servers = {}, store, ...general }: LimitResultsOptions = {}): CallMiddleware {
  return async ({ tool, options }, next) => {
    const result = await next();
    if (options.audience !== "model") return result;
    const own = Object.hasOwn(servers, tool.server) ? servers[tool.server] : undefined;
    const limits = {
      maxResultChars: own?.maxResultChars ?? general.maxResultChars ?? DEFAULTS.maxResultChars,
      maxBinaryBytes: own?.maxBinaryBytes ?? general.maxBinaryBytes ?? DEFAULTS.maxBinaryBytes,
    };
    const limited = limitResult(result, limits);
    if (limited.missing.length === 0) return result;
    const place = await store?.save(limited.whole());
    return { ...limited.result, content: [...limited.result.content, notice(limited.missing, place)] };
  };
}

interface Limited {
  readonly result: ToolCallResult;
  /** What is missing, a phrase each. */
  readonly missing: readonly string[];
  /** Everything a model could have read. */
  whole(): string;
}

function limitResult(result: ToolCallResult, limits: typeof DEFAULTS): Limited {
  const missing: string[] = [];
  const texts: string[] = [];
  let room = limits.maxResultChars === 0 ? Number.POSITIVE_INFINITY : limits.maxResultChars;
  let lost = 0;
  const take = (text: string): string => {
    texts.push(text);
    const kept = cutText(text, room);
    room -= kept.length;
    lost += text.length - kept.length;
    return kept;
  };
  const content = result.content.flatMap((block) => limitBlock(block, limits.maxBinaryBytes, take, missing));
  if (lost > 0) {
    const total = texts.reduce((sum, text) => sum + text.length, 0);
    missing.unshift(`${lost} of ${total} characters of text`);
  }
  const structured = limitStructured(result.structuredContent, limits.maxResultChars, missing);
  if (structured !== undefined) texts.push(structured);
  const whole = () => texts.join("\n");
  if (missing.length === 0) return { result, missing, whole };
  const { structuredContent, ...rest } = result;
  const kept = structured === undefined && structuredContent !== undefined ? { structuredContent } : {};
  return { result: { ...rest, ...kept, content }, missing, whole };
}

function limitBlock(
  block: ContentBlock,
  maxBytes: number,
  take: (text: string) => string,
  missing: string[],
): ContentBlock[] {
  if (block.type === "text") {
    const text = take(block.text);
    return text === "" && block.text !== "" ? [] : [{ ...block, text }];
  }
  if (block.type === "resource" && "text" in block.resource) {
    const text = take(block.resource.text);
    return [{ ...block, resource: { ...block.resource, text } }];
  }
  const base64 = binaryOf(block);
  const bytes = base64 === undefined ? 0 : Math.floor((base64.length * 3) / 4);
  if (maxBytes === 0 || bytes <= maxBytes) return [block];
  missing.push(`a part of type ${block.type} with ${bytes} bytes`);
  return [];
}

function binaryOf(block: ContentBlock): string | undefined {
  if (block.type === "image" || block.type === "audio") return block.data;
  return block.type === "resource" && "blob" in block.resource ? block.resource.blob : undefined;
}

/** @returns the JSON text if it is too long to be kept. */
function limitStructured(structured: unknown, maxChars: number, missing: string[]): string | undefined {
  if (structured === undefined || maxChars === 0) return undefined;
  const text = JSON.stringify(structured);
  if (text.length <= maxChars) return undefined;
  missing.push(`structured content of ${text.length} characters`);
  return text;
}

function notice(missing: readonly string[], place: string | undefined): ContentBlock {
  const readOn = place === undefined ? "" : ` The whole is in ${place}.`;
  return { type: "text", text: `[This result was too long. Missing: ${missing.join(", ")}.${readOn}]` };
}
