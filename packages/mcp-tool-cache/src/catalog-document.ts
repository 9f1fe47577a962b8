import type { KeyObject } from "node:crypto";
import type { CatalogId } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import { isWrittenRecord, type WrittenRecord } from "./catalog-record-shape.ts";
import type { CatalogRecord } from "./catalog-succession.ts";
import { outlineTools, restoreTools } from "./deferred-schemas.ts";

/** Raised whenever older documents can no longer be read correctly. */
const VERSION = 2;

/** The head before the part that the checksum covers. It has exactly one spelling. */
const HEAD = /^\{"version":(\d+),"checksum":"([0-9a-f]{64})",/;

/** The key and the id that a document is written for. It is valid for no other. */
export interface DocumentSeal {
  readonly id: CatalogId;
  readonly key: KeyObject;
}

/**
 * Writes a record: a line of JSON with version and checksum, and one with the schemas of the tools.
 *
 * The checksum is an HMAC-SHA-256 over version, id and content, so it also detects a document that was copied from another user's
 * catalog or from another server's entry.
 */
export function writeCatalogDocument(record: CatalogRecord, seal: DocumentSeal): string {
  const { suspect, staleSince, expiresAt, entry } = record;
  const { outlines, schemas } = outlineTools(entry.tools ?? []);
  const written = entry.tools === undefined ? entry : { ...entry, tools: outlines };
  const line = JSON.stringify({ suspect, staleSince, expiresAt, entry: written });
  return sealContent(`${line}\n${schemas}`, seal);
}

/** Prepends version and checksum to a content: JSON text of an object and whatever follows it. */
export function sealContent(content: string, seal: DocumentSeal): string {
  const covered = content.slice(1);
  return `{"version":${VERSION},"checksum":"${checksum(covered, seal)}",${covered}`;
}

/** Reads a document. Another version, a wrong checksum or another shape yields `undefined`: a miss. */
export function readCatalogDocument(text: string, seal: DocumentSeal): CatalogRecord | undefined {
  const head = HEAD.exec(text);
  if (head === null || head[1] !== String(VERSION)) return undefined;
  if (head[2] !== checksum(text.slice(head[0].length), seal)) return undefined;
  const end = text.indexOf("\n");
  const written = parseRecord(text.slice(0, end));
  if (written === undefined || !restoreTools(written.entry.tools ?? [], text.slice(end + 1)))
    return undefined;
  const { suspect, staleSince, expiresAt, entry } = written;
  return { suspect, staleSince, expiresAt, entry: entry as CatalogRecord["entry"] };
}

function parseRecord(line: string): WrittenRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isWrittenRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Hashed in two parts, because joining them would copy the whole content. */
function checksum(covered: string, { id, key }: DocumentSeal): string {
  return cryptography().createHmac("sha256", key).update(`${VERSION}\n${id}\n`).update(covered).digest("hex");
}
