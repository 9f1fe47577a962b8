import type { ContentBlock } from "@jackfield/mcp-core";

/**
 * Whether something a server sent as a block is one: of a kind that is known, and with the texts that this kind must have.
 * Servers in this process are not checked by anybody else, and later protocols may bring other kinds.
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

/** The blocks of a result, whatever its server sent in their place. */
export function blocksOf({ content }: { readonly content: unknown }): readonly unknown[] {
  return Array.isArray(content) ? content : [];
}

/** As JSON; an empty text for what cannot be written as JSON. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
