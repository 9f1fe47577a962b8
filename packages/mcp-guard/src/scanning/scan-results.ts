import { type CallMiddleware, type ContentBlock, isMcpError, type ToolCallResult } from "@jackfield/mcp-core";
import { blocksOf, isKnownBlock, jsonText } from "../known-block.ts";
import { reportMatches, type ScannedText, type ScanOptions } from "./injection-finding.ts";
import { findInjectionSignals } from "./injection-signals.ts";
import { stringsIn } from "./strings-in.ts";

/**
 * Scans the texts of every result, the strings of its structured content, and the messages of errors, which may quote a server.
 * Results pass through unchanged, whatever is found.
 */
export function scanResults(options: ScanOptions): CallMiddleware {
  return async ({ tool }, next) => {
    const from = { server: tool.server, tool: tool.originalName };
    try {
      const result = await next();
      scanText(textOf(result), { ...from, where: "result" }, options);
      return result;
    } catch (error) {
      if (isMcpError(error)) scanText(error.message, { ...from, where: "error" }, options);
      throw error;
    }
  };
}

/** Scans any other text of a server that a model is to read: its instructions, a resource, a prompt. */
export function scanText(
  text: string,
  origin: ScannedText,
  { found, maxScannedChars = MAX_SCANNED_CHARS }: ScanOptions,
): void {
  const scanned = maxScannedChars === 0 ? text : text.slice(0, maxScannedChars);
  reportMatches(found, origin, findInjectionSignals(scanned));
}

/** A hostile text of 16 MiB would keep the event loop busy for seconds, and no model reads that far. */
const MAX_SCANNED_CHARS = 1_000_000;

function textOf(result: ToolCallResult): string {
  const text = textOfBlocks(blocksOf(result));
  return result.structuredContent === undefined ? text : `${text}\n${stringsIn(result.structuredContent)}`;
}

/** Everything that a model may read of content blocks. */
export function textOfBlocks(blocks: readonly unknown[]): string {
  return blocks.map((block) => (isKnownBlock(block) ? blockText(block) : jsonText(block))).join("\n");
}

/** Everything that a model may read of a block: addresses, names and media types may be sentences too. */
function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource": {
      const { uri, mimeType } = block.resource;
      return stringsIn([uri, mimeType, "text" in block.resource ? block.resource.text : undefined]);
    }
    case "resource_link":
      return stringsIn([block.uri, block.name, block.title, block.description, block.mimeType]);
    default:
      return block.mimeType;
  }
}
