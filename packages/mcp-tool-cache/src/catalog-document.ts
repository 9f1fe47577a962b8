import type { KeyObject } from "node:crypto";
import { type CatalogEntry, type CatalogId, isRecord, type ToolDefinition } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import {
  markUnparsed,
  SCHEMA_NAMES,
  type SchemaName,
  type UnparsedSchemas,
  unparsedSchemas,
} from "@jackfield/mcp-tools/unparsed-schema";
import type { CatalogRecord } from "./catalog-succession.ts";

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
  const { entry, ...rest } = record;
  const { outlines, schemas } = outlineTools(entry.tools ?? []);
  const written = entry.tools === undefined ? entry : { ...entry, tools: outlines };
  const line = JSON.stringify({ ...rest, entry: written });
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
  const { suspect, staleSince, staleBy, writer, expiresAt, entry } = written;
  return { suspect, staleSince, staleBy, writer, expiresAt, entry: entry as CatalogRecord["entry"] };
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

/** Tools as stored: each schema is replaced by the length of its text, and the texts are joined to a JSON array. */
export interface OutlinedTools {
  readonly outlines: readonly object[];
  readonly schemas: string;
}

/** Takes the schemas out of tools. A number in place of a schema is written as `null`, so that it is not taken for a length later. */
export function outlineTools(tools: readonly ToolDefinition[]): OutlinedTools {
  const texts: string[] = [];
  const outlines = tools.map((tool) => {
    const outline: Record<string, unknown> = { ...tool };
    for (const name of SCHEMA_NAMES) {
      const schema = outline[name];
      if (typeof schema === "number") outline[name] = null;
      if (!isRecord(schema)) continue;
      const text = JSON.stringify(schema);
      texts.push(text);
      outline[name] = text.length;
    }
    return outline;
  });
  return { outlines, schemas: `[${texts.join()}]` };
}

/**
 * Replaces each outline with the tool it was made of. Most of a catalog is schemas, and few of them are ever read. So each schema
 * is a getter, and the first read of one parses all schemas of that server; those of frozen tools are frozen too. Only printing a
 * tool, or `unparsedText` of `@jackfield/mcp-tools`, shows that its schemas are not parsed yet.
 *
 * @returns whether the text matches the outlines, judged by its length
 */
export function restoreTools(outlines: object[], schemas: string): boolean {
  const source = new DeferredSchemas(schemas);
  let length = "[]".length;
  // There may be ten thousand tools, so nothing is allocated but the tools themselves.
  for (let index = 0; index < outlines.length; index += 1) {
    const outline = outlines[index] as { readonly [name in SchemaName]?: unknown };
    const before = length;
    for (const name of SCHEMA_NAMES) {
      const size = outline[name];
      if (typeof size === "number") length += size + ",".length;
    }
    if (length > before) outlines[index] = restoredTool(outline, source);
  }
  return schemas.length === Math.max("[]".length, length - ",".length) && schemas.startsWith("[");
}

/**
 * Copies the members in their order, which a tool's bytes depend on. Replacing an existing member with a getter would make the
 * engine keep each tool in a hash table of its own, which takes five times the memory.
 */
function restoredTool(outline: object, source: DeferredSchemas): object {
  const tool: Record<string, unknown> = {};
  for (const name in outline) {
    const value: unknown = outline[name as keyof typeof outline];
    const getter = typeof value === "number" ? GETTERS.get(name) : undefined;
    if (getter !== undefined) {
      source.add(tool, name as SchemaName);
      Object.defineProperty(tool, name, getter);
    } else if (name === "__proto__") {
      Object.defineProperty(tool, name, { value, writable: true, enumerable: true, configurable: true });
    } else {
      tool[name] = value;
    }
  }
  return markUnparsed(tool, source);
}

/** The schemas of one server's tools, not parsed until one of them is read. */
class DeferredSchemas implements UnparsedSchemas {
  readonly text: string;
  readonly #places: { readonly tool: object; readonly name: SchemaName }[] = [];
  /** The parsed schemas of tools that were frozen before parsing. */
  readonly #ofFrozen = new Map<object, { [name in SchemaName]?: unknown }>();
  #isParsed = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Assigns the next schema of the text to a tool. */
  add(tool: object, name: SchemaName): void {
    this.#places.push({ tool, name });
  }

  /** Parses all schemas of the server and makes them ordinary members. */
  parse(): void {
    if (this.#isParsed) return;
    this.#isParsed = true;
    const values: unknown[] = JSON.parse(this.text);
    for (const [index, { tool, name }] of this.#places.entries()) {
      if (!Object.hasOwn(tool, name) || define(tool, name, values[index])) continue;
      this.#ofFrozen.set(tool, { ...this.#ofFrozen.get(tool), [name]: deepFrozen(values[index]) });
    }
  }

  /** The value of a getter: the ordinary member that has replaced it, or the parsed schema of a frozen tool. */
  read(tool: object, name: SchemaName): unknown {
    this.parse();
    return this.#ofFrozen.get(tool)?.[name] ?? Object.getOwnPropertyDescriptor(tool, name)?.value;
  }
}

/** The getters in place of unread schemas. All tools share them, which makes them cheap. */
const GETTERS: ReadonlyMap<string, PropertyDescriptor> = new Map(
  SCHEMA_NAMES.map((name) => [
    name,
    {
      enumerable: true,
      configurable: true,
      get(this: object) {
        return sourceOf(this)?.read(this, name);
      },
      set(this: object, value: unknown) {
        sourceOf(this)?.parse();
        define(this, name, value);
      },
    },
  ]),
);

function sourceOf(tool: object): DeferredSchemas | undefined {
  return unparsedSchemas(tool) as DeferredSchemas | undefined;
}

/** Freezes a value deeply, because all readers of a frozen tool share its schemas. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const name in value) deepFrozen(value[name]);
  return Object.freeze(value);
}

/** Makes a schema an ordinary property. Returns `false` if the tool is frozen. */
function define(tool: object, name: SchemaName, value: unknown): boolean {
  return Reflect.defineProperty(tool, name, { value, writable: true, enumerable: true, configurable: true });
}
