import { isRecord, type JsonObject, type JsonValue, type ToolCallResult } from "@jackfield/mcp-core";
import { withoutRepetition } from "./structured-content.ts";

/** An image or a sound; `data` is base64. */
export interface MediaPart {
  readonly kind: "image" | "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** The bytes of a resource; `data` is base64. `mimeType` is `application/octet-stream` where the server names none. */
export interface ResourceBlobPart {
  readonly kind: "resource-blob";
  readonly uri: string;
  readonly data: string;
  readonly mimeType: string;
}

/** One part of a result, from which adapters build the form of their framework. */
export type ResultPart =
  | { readonly kind: "text"; readonly text: string }
  | MediaPart
  | { readonly kind: "resource-text"; readonly uri: string; readonly text: string }
  | ResourceBlobPart
  | {
      readonly kind: "link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
    }
  /** The structured content, without what the blocks say already. */
  | { readonly kind: "data"; readonly value: JsonValue };

/** A tool's result, sorted into parts. Without parts, it held nothing that could be shown. */
export interface ClassifiedResult {
  readonly parts: readonly ResultPart[];
  readonly isError: boolean;
}

/**
 * Sorts a tool's result into parts, in the server's order, structured content last.
 *
 * Accepts whatever a server may send and never throws: blocks of unknown kinds become JSON text; empty texts, and structured
 * content that the blocks repeat, are left out.
 */
export function classifyResult(result: ToolCallResult): ClassifiedResult {
  const answer: Partial<ToolCallResult> = isRecord(result) ? result : {};
  const blocks: readonly unknown[] = Array.isArray(answer.content) ? answer.content : [];
  const parts: ResultPart[] = [];
  for (const block of blocks) {
    const part = classifyBlock(block);
    if (part.kind !== "text" || part.text !== "") parts.push(part);
  }
  const structured = structuredPart(answer.structuredContent, blocks, parts);
  if (structured !== undefined) parts.push(structured);
  return { parts, isError: answer.isError === true };
}

function classifyBlock(block: unknown): ResultPart {
  return (isRecord(block) ? knownPart(block) : undefined) ?? { kind: "text", text: jsonText(block) };
}

/** The part a block is, or `undefined` if its kind is not known or a field that the kind needs is missing. */
function knownPart(block: JsonObject): ResultPart | undefined {
  const { type, text, data, mimeType, uri, name } = block;
  switch (type) {
    case "text":
      return isString(text) ? { kind: "text", text } : undefined;
    case "image":
    case "audio":
      return isString(data) && isString(mimeType) ? { kind: type, data, mimeType } : undefined;
    case "resource":
      return isRecord(block.resource) ? resourcePart(block.resource) : undefined;
    case "resource_link":
      if (!isString(uri)) return undefined;
      return {
        kind: "link",
        uri,
        name: isString(name) ? name : uri,
        description: isString(block.description) ? block.description : undefined,
        mimeType: isString(mimeType) ? mimeType : undefined,
      };
    default:
      return undefined;
  }
}

function resourcePart({ uri, text, blob, mimeType }: JsonObject): ResultPart | undefined {
  if (!isString(uri)) return undefined;
  if (isString(text)) return { kind: "resource-text", uri, text };
  if (!isString(blob)) return undefined;
  return {
    kind: "resource-blob",
    uri,
    data: blob,
    mimeType: isString(mimeType) ? mimeType : "application/octet-stream",
  };
}

function structuredPart(
  structured: unknown,
  blocks: readonly unknown[],
  parts: readonly ResultPart[],
): ResultPart | undefined {
  if (structured === undefined) return undefined;
  const value = asJson(structured);
  if (value === undefined) return { kind: "text", text: NOT_JSON };
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const unrepeated = withoutRepetition(value, texts, blocks);
  return unrepeated === undefined ? undefined : { kind: "data", value: unrepeated };
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

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? NOT_JSON;
  } catch {
    return NOT_JSON;
  }
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
