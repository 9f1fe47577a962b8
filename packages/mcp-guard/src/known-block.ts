import { type ContentBlock, isRecord } from "@jackfield/mcp-core";
import { withTextOfBytes } from "@jackfield/mcp-tools/content-bytes";

/**
 * Whether a value is a content block of a known kind, with the fields that the kind requires. Results of in-process servers are
 * checked nowhere else, and later protocol versions may add kinds.
 */
export function isKnownBlock(block: unknown): block is ContentBlock {
  if (!isRecord(block)) return false;
  switch (block.type) {
    case "text":
      return typeof block.text === "string";
    case "image":
    case "audio":
      return typeof block.data === "string" && typeof block.mimeType === "string";
    case "resource":
      return isRecord(block.resource) && isResource(block.resource);
    case "resource_link":
      return [block.uri, block.name, block.title ?? "", block.description ?? "", block.mimeType ?? ""].every(
        (text) => typeof text === "string",
      );
    default:
      return false;
  }
}

function isResource({ uri, text, blob, mimeType = "" }: Readonly<Record<string, unknown>>): boolean {
  const hasContents = typeof text === "string" || typeof blob === "string";
  return typeof uri === "string" && hasContents && typeof mimeType === "string";
}

/**
 * The content blocks of a result; none if its server sent no list. Bytes that are text are text here, as a model will read them: otherwise a
 * text sent as a `blob` would pass unseen.
 */
export function blocksOf({ content }: { readonly content: unknown }): readonly unknown[] {
  return Array.isArray(content) ? withTextOfBytes(content) : [];
}

/** The value as JSON; empty if it cannot be written as JSON. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
