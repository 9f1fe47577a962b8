import type { JsonObject } from "@jackfield/mcp-core";

const LONGEST_TEXT = 2_000;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)[;,]/;

/**
 * Puts a tool's result into words: its text, cut to a sane length, and for everything else its media type. The content
 * of a tool message is text, a list of parts, or such a list written as JSON, as some providers do.
 */
export function describeToolResult(content: unknown): string {
  const parts = partsOf(content);
  const texts = parts.flatMap((part) => (typeof part.text === "string" ? [part.text] : []));
  const media = parts.filter((part) => typeof part.text !== "string").map(describeMedia);
  const resultText = [...texts, ...media].filter((line) => line !== "").join("\n");
  return cut(resultText === "" ? "The tool returned nothing." : resultText);
}

function partsOf(content: unknown): JsonObject[] {
  if (Array.isArray(content)) return content.map((part) => (isPart(part) ? part : textPart(part)));
  if (typeof content !== "string") return [textPart(content)];
  const parsed = content.trimStart().startsWith("[") ? parseJson(content) : undefined;
  return Array.isArray(parsed) && parsed.length > 0 && parsed.every(isPart) ? parsed : [textPart(content)];
}

function isPart(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function textPart(value: unknown): JsonObject {
  if (value === null || value === undefined) return { type: "text", text: "" };
  return { type: "text", text: typeof value === "string" ? value : JSON.stringify(value) };
}

function describeMedia(part: JsonObject): string {
  const type = mediaTypeOf(part);
  if (type === undefined) return `The tool returned content of type ${String(part.type)}.`;
  return type.startsWith("image/")
    ? `The tool returned an image (${type}).`
    : `The tool returned a file (${type}).`;
}

/** Every provider has its own place for it: a field of its own, or the beginning of a `data:` URL. */
function mediaTypeOf(part: JsonObject, depth = 0): string | undefined {
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === "string") {
      if (/^(media|mime)_?type$/i.test(key)) return value;
      const inUrl = DATA_URL.exec(value)?.[1];
      if (inUrl !== undefined) return inUrl;
    } else if (typeof value === "object" && value !== null && depth < 3) {
      const nested = mediaTypeOf({ ...value }, depth + 1);
      if (nested !== undefined) return nested;
    }
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}… (cut)`;
}
