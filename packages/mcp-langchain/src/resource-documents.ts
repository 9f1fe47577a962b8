import type { ReadResourceResult } from "@jackfield/mcp-core";
import { withTextOfBytes } from "@jackfield/mcp-tools/content-bytes";
import { Document } from "@langchain/core/documents";
import { type LangchainBlock, toBlocks } from "./content-blocks.ts";

/** The metadata of a document: where it comes from. */
export interface LangchainDocumentMetadata {
  /** The resource's URI; read it again with this and `server`. */
  readonly source: string;
  readonly server: string;
  readonly mimeType?: string;
}

/**
 * A resource's texts as documents, for splitters, retrievers and vector stores. Binary contents are left out, since a document is
 * text: `langchainResourceBlocks` has them.
 *
 * @param server - the server's name, as given to `readResource`.
 * @param resource - the result of `readResource`.
 */
export function langchainDocuments(
  server: string,
  resource: ReadResourceResult,
): Document<LangchainDocumentMetadata>[] {
  return resource.contents.flatMap((given) => {
    // A text that is sent as bytes is a text.
    const [{ resource: contents }] = withTextOfBytes([{ type: "resource", resource: given }] as const);
    // A server may send `null` beside the bytes.
    if (!("text" in contents) || typeof contents.text !== "string") return [];
    const { uri, mimeType, text } = contents;
    const metadata = { source: uri, server, ...(mimeType === undefined ? {} : { mimeType }) };
    return [new Document({ pageContent: text.toWellFormed(), metadata })];
  });
}

/**
 * A resource's contents as standard content blocks of a message (`new HumanMessage({ contentBlocks })`): images, sounds, videos and
 * documents as blocks of their kind, texts with their URI, other binary contents by name.
 *
 * @param resource - the result of `readResource`.
 */
export function langchainResourceBlocks(resource: ReadResourceResult): LangchainBlock[] {
  return toBlocks(resource.contents.map((contents) => ({ type: "resource", resource: contents })));
}
