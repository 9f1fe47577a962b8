import { createHmac, type KeyObject } from "node:crypto";
import type { CatalogId } from "@jackfield/mcp-core";
import { isCatalogRecord } from "./catalog-record-shape.ts";
import type { CatalogRecord } from "./catalog-succession.ts";

/** Raised whenever a document that was written before can no longer be read as it was meant. */
const VERSION = 1;

/** What stands before the part that the checksum covers. The writer knows no other spelling, so neither does the reader. */
const HEAD = /^\{"version":(\d+),"checksum":"([0-9a-f]{64})",/;

/** Under which key and for which id a document is written. A document is valid nowhere else. */
export interface DocumentSeal {
  readonly id: CatalogId;
  readonly key: KeyObject;
}

/**
 * Writes a record as a JSON document with version and checksum.
 *
 * The checksum is an HMAC-SHA-256 over version, id and content, so it also tells a document that was copied from another
 * user's catalog, or to another server's entry, from one that was written here.
 */
export function writeCatalogDocument(record: CatalogRecord, seal: DocumentSeal): string {
  const { suspect, staleSince, expiresAt, entry } = record;
  const covered = JSON.stringify({ suspect, staleSince, expiresAt, entry }).slice(1);
  return `{"version":${VERSION},"checksum":"${checksum(covered, seal)}",${covered}`;
}

/** Reads a document. Another version, a wrong checksum or another shape gives `undefined`: a miss. */
export function readCatalogDocument(text: string, seal: DocumentSeal): CatalogRecord | undefined {
  const head = HEAD.exec(text);
  if (head === null || head[1] !== String(VERSION)) return undefined;
  if (head[2] !== checksum(text.slice(head[0].length), seal)) return undefined;
  return parseRecord(text);
}

function parseRecord(text: string): CatalogRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isCatalogRecord(value)) return undefined;
  const { suspect, staleSince, expiresAt, entry } = value;
  return { suspect, staleSince, expiresAt, entry };
}

/** In two parts, because to join them would copy the whole content. */
function checksum(covered: string, { id, key }: DocumentSeal): string {
  return createHmac("sha256", key).update(`${VERSION}\n${id}\n`).update(covered).digest("hex");
}
