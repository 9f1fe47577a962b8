import type { KeyObject } from "node:crypto";
import { type CatalogEntry, type CatalogId, createTimeSlices, isRecord } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import type { CatalogRecord } from "./catalog-succession.ts";
import { outlineTools, restoreTools } from "./deferred-schemas.ts";
import { pack, unpack } from "./packed-content.ts";

/** Raised whenever older documents can no longer be read correctly. */
const VERSION = 2;

/** The head before the part that the checksum covers. It has exactly one spelling. */
const HEAD = /^\{"version":(\d+),"checksum":"([0-9a-f]{64})",/;

/** From how many characters on a content is packed. */
const PACKED_FROM = 256 * 1024;

/** What the covered part of a packed document begins with. */
const PACKED = '"packed":';

/** The key and the id that a document is written for. It is valid for no other. */
export interface DocumentSeal {
  readonly id: CatalogId;
  readonly key: KeyObject;
}

/** A document, and the size of what it says, in bytes. */
export interface WrittenDocument {
  readonly text: string;
  readonly bytes: number;
}

/**
 * Writes a record: a line of JSON with version and checksum, and one with the schemas of the tools. Thousands of tools are written in
 * slices of time, and packed: a store takes a text at once, and the event loop waits for it.
 *
 * The checksum is an HMAC-SHA-256 over version, id and content, so it also detects a document that was copied from another user's
 * catalog or from another server's entry.
 */
export async function writeCatalogDocument(
  record: CatalogRecord,
  seal: DocumentSeal,
): Promise<WrittenDocument> {
  const { entry, ...others } = record;
  const { tools, ...rest } = entry;
  const { outlines, schemas } = await outlineTools(tools ?? []);
  const line = JSON.stringify({ ...others, entry: rest });
  const [before, after] =
    tools === undefined ? [line, ""] : [`${line.slice(0, -"}}".length)},"tools":[`, "]}}"];
  const length = [...outlines, ...schemas].reduce((sum, text) => sum + text.length + ",".length, line.length);
  if (length < PACKED_FROM) {
    const content = `${before}${outlines.join()}${after}\n[${schemas.join()}]`;
    return { text: sealContent(content, seal), bytes: Buffer.byteLength(content) };
  }
  const { packed, bytes } = await pack([[before], outlines, [`${after}\n[`], schemas, ["]"]]);
  const slices = createTimeSlices();
  await slices.next();
  const text = sealContent(`{${PACKED}[${bytes},"${packed}"]}`, seal);
  await slices.next();
  return { text, bytes };
}

/** Prepends version and checksum to a content: JSON text of an object and whatever follows it. */
export function sealContent(content: string, seal: DocumentSeal): string {
  const covered = content.slice(1);
  return `{"version":${VERSION},"checksum":"${checksum(covered, seal)}",${covered}`;
}

/** Reads a document. Another version, a wrong checksum or another shape yields `undefined`: a miss. */
export async function readCatalogDocument(
  text: string,
  seal: DocumentSeal,
): Promise<CatalogRecord | undefined> {
  const head = HEAD.exec(text);
  if (head === null || head[1] !== String(VERSION)) return undefined;
  const covered = text.slice(head[0].length);
  if (head[2] !== checksum(covered, seal)) return undefined;
  const lines = covered.startsWith(PACKED) ? await unpack(covered.slice(PACKED.length, -1)) : linesOf(text);
  const written = parseRecord(lines[0]);
  if (written === undefined || !(await restoreTools(written.entry.tools ?? [], lines[1]))) return undefined;
  const { suspect, staleSince, staleBy, writer, expiresAt, entry } = written;
  return { suspect, staleSince, staleBy, writer, expiresAt, entry: entry as CatalogRecord["entry"] };
}

function linesOf(text: string): readonly [record: string, schemas: string] {
  const end = text.indexOf("\n");
  return [text.slice(0, end), text.slice(end + 1)];
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

/** A record as stored: its tools are outlines without schemas. */
interface WrittenRecord extends Omit<CatalogRecord, "entry"> {
  readonly entry: Omit<CatalogEntry, "tools"> & { readonly tools?: object[] | undefined };
}

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isLength: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isBoolean: Check = (value) => typeof value === "boolean";
const isScope: Check = (value) => value === "public" || value === "private";

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const objectWith = (members: { readonly [name: string]: Check }): Check => {
  const names = Object.keys(members);
  const checks = Object.values(members);
  return (value) => {
    if (!isRecord(value)) return false;
    // Runs for every entry at start-up, so no list is made.
    for (let index = 0; index < names.length; index += 1)
      if (!checks[index]?.(value[names[index] as string])) return false;
    return true;
  };
};

/** Runs for every tool at start-up, so it is written out: the engine takes long to optimise composed closures. */
const isOutline: Check = (value) => {
  if (!isRecord(value)) return false;
  const { name, inputSchema } = value;
  return isString(name) && isLength(inputSchema);
};

const isModernHandshake = objectWith({ era: (era) => era === "modern", at: isNumber, discover: isRecord });
const isLegacyHandshake = objectWith({ era: (era) => era === "legacy", at: isNumber });

const isEntry = objectWith({
  server: isString,
  credentials: isString,
  listedAt: isNumber,
  tools: optional(listOf(isOutline)),
  resources: optional(listOf(objectWith({ name: isString, uri: isString }))),
  resourceTemplates: optional(listOf(objectWith({ name: isString, uriTemplate: isString }))),
  prompts: optional(listOf(objectWith({ name: isString }))),
  instructions: optional(isString),
  serverInfo: optional(objectWith({ name: isString, version: isString })),
  capabilities: optional(isRecord),
  prior: optional((value) => isModernHandshake(value) || isLegacyHandshake(value)),
  ttlMs: optional(isNumber),
  cacheScope: optional(isScope),
  lastOutcome: optional(
    objectWith({ ok: isBoolean, at: isNumber, tookMs: isNumber, code: optional(isString) }),
  ),
  stale: optional(isBoolean),
});

const isStored = objectWith({
  suspect: isBoolean,
  staleSince: optional(isNumber),
  staleBy: optional(isString),
  writer: optional(isString),
  expiresAt: isNumber,
  entry: isEntry,
});

/** Whether a value read from a store has the shape of a record, as far as the code relies on it. */
function isWrittenRecord(value: unknown): value is WrittenRecord {
  return isStored(value);
}
