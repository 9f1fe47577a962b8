import { isRecord, isSameJson, type McpError, type ToolFilter } from "@jackfield/mcp-core";
import type { JsonMap } from "../documents/json-value.ts";
import { kindOf } from "../documents/json-value.ts";
import { isHeaderName } from "../http-syntax.ts";
import { environmentNameFault } from "../safe-environment.ts";
import { quote } from "../server-name.ts";
import type { EntryDialect, FieldNames, TimeField } from "./entry-dialect.ts";
import { createEntryFields, type EntryFields, type FaultAt, type Tolerate } from "./entry-fields.ts";
import { readOAuth } from "./oauth-fields.ts";
import { type EntryTransport, readTransport } from "./transport-field.ts";
import type { WrittenServer } from "./written-server.ts";

/** Reads the fields of one entry by its host's rules. */
export interface EntryReader {
  readonly fields: EntryFields;
  readonly dialect: EntryDialect;
  readonly faultAt: FaultAt;
  /** Missing where every fault refuses the entry. */
  readonly tolerate?: Tolerate | undefined;
}

/** What an entry says apart from how its server is reached. */
export type WrittenCommon = Omit<WrittenServer, "transport" | "command" | "url">;

/** What was read of an entry. */
export interface ReadEntry {
  readonly transport: EntryTransport;
  readonly common: WrittenCommon;
  /** The fields of one transport, without those that both have. */
  readonly way: Pick<WrittenServer, ProcessField> | Pick<WrittenServer, RemoteField> | undefined;
}

type ProcessField = "command" | "args" | "cwd" | "envPassthrough";
type RemoteField = "url" | "headers" | "headersFromEnv" | "bearerTokenEnv" | "oauth";

/**
 * Reads an entry. Fields of the other transport are left unread.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a fault in what the server cannot do without, and in a strict dialect for any fault.
 */
export function readWrittenEntry(
  entry: JsonMap,
  dialect: EntryDialect,
  inCode: boolean,
  faultAt: FaultAt,
  tolerate?: Tolerate,
): ReadEntry & { readonly fields: EntryFields } {
  const fields = createEntryFields(entry, faultAt, tolerate, inCode);
  const reader: EntryReader = { fields, dialect, faultAt, tolerate };
  const transport = readTransport(fields, dialect, inCode, faultAt);
  const settings = readSettings(reader);
  if (transport === "in-process") return { fields, transport, common: settings, way: undefined };
  const common = {
    env: first(fields, dialect.fields.env, variables),
    envFile: optional(fields, dialect.fields.envFile, text),
    ...settings,
  };
  const way = transport === "stdio" ? readProcess(reader) : readRemote(reader);
  return { fields, transport, common, way };
}

/** Reads one field. The readers below are shared by all entries. */
type ReadField<T> = (fields: EntryFields, field: string) => T | undefined;

const text: ReadField<string> = (fields, field) => fields.text(field);
const texts: ReadField<readonly string[]> = (fields, field) => fields.texts(field);
const flag: ReadField<boolean> = (fields, field) => fields.flag(field);
const era: ReadField<"legacy" | "modern"> = (fields, field) => fields.oneOf(field, ["legacy", "modern"]);
const amount: ReadField<number> = (fields, field) => fields.amount(field);
const variables = unlessUnset((fields, field) => fields.nullableTextMap(field, environmentNameFault));
const headers = unlessUnset((fields, field) => fields.textMap(field, headerNameFault));
const args = unlessUnset(texts);

/** Reads a field that an entry may lack. */
function unlessUnset<T>(read: ReadField<T>): ReadField<T> {
  return (fields, field) => (fields.isUnset(field) ? undefined : read(fields, field));
}

function headerNameFault(name: string): string | undefined {
  return isHeaderName(name) ? undefined : "is not a valid header name";
}

const NO_SETTINGS: WrittenCommon = { enabled: true };

function readSettings(reader: EntryReader): WrittenCommon {
  const { fields, dialect } = reader;
  if (!fields.hasUnread(dialect.settings)) return NO_SETTINGS;
  const names = dialect.fields;
  const { isOn, tools } = readSwitches(reader);
  return {
    enabled: isOn,
    tools,
    lazy: optional(fields, names.lazy, flag),
    shared: optional(fields, names.shared, flag),
    timeoutMs: readTime(reader, names.timeoutMs),
    connectTimeoutMs: readTime(reader, names.connectTimeoutMs),
    maxTotalMs: readTime(reader, names.maxTotalMs),
    maxMessageBytes: optional(fields, names.maxMessageBytes, amount),
    maxTools: optional(fields, names.maxTools, amount),
    trustAnnotations: optional(fields, names.trustAnnotations, flag),
    era: optional(fields, names.era, era),
    title: optional(fields, names.title, text),
    description: optional(fields, names.description, text),
    required: optional(fields, names.required, flag),
    trust: optional(fields, names.trust, flag),
    autoApprove: optional(fields, names.autoApprove, texts),
  };
}

function readProcess({ fields, dialect }: EntryReader) {
  const names = dialect.fields;
  return {
    command: first(fields, names.command, text),
    args: first(fields, names.args, args),
    envPassthrough: optional(fields, names.envPassthrough, texts),
    cwd: optional(fields, names.cwd, text),
  };
}

function readRemote(reader: EntryReader) {
  const { fields, dialect } = reader;
  const names = dialect.fields;
  return {
    url: first(fields, names.url, text),
    headers: first(fields, names.headers, headers),
    headersFromEnv: optional(fields, names.headersFromEnv, headers),
    bearerTokenEnv: optional(fields, names.bearerTokenEnv, text),
    oauth: readOAuth(reader),
  };
}

/**
 * Reads all fields of these names, so that every fault is found. The first one counts, and one with another value is left unread.
 * Entries lack most of the possible fields, so a missing one costs next to nothing.
 */
function first<T>(fields: EntryFields, names: FieldNames | undefined, read: ReadField<T>): T | undefined {
  if (names === undefined) return undefined;
  if (typeof names === "string") return fields.has(names) ? read(fields, names) : undefined;
  let found: T | undefined;
  for (const name of names) {
    const value = fields.has(name) ? read(fields, name) : undefined;
    if (found === undefined) found = value;
    else if (value !== undefined && !isSameJson(found, value)) fields.leave(name);
  }
  return found;
}

function optional<T>(fields: EntryFields, names: FieldNames | undefined, read: ReadField<T>): T | undefined {
  if (!hasAny(fields, names)) return undefined;
  const readSet = unlessUnset(read);
  return first(fields, names, (_fields, field) => fields.optional(() => readSet(fields, field)));
}

function readTime(
  reader: EntryReader,
  times: readonly (string | TimeField)[] | undefined,
): number | undefined {
  const { fields, dialect, faultAt } = reader;
  if (!times?.some(isWrittenIn, fields)) return undefined;
  const written = times
    .map((time) => (typeof time === "string" ? { field: time } : time))
    .filter(({ field }) => fields.has(field) && !fields.isUnset(field));
  const read = (time: TimeField) => {
    const { field, unit, leastMs = 0, mostMs = Number.POSITIVE_INFINITY } = time;
    const value = fields.time(field, unit === "seconds" ? 1000 : 1);
    if (value === undefined || (value >= leastMs && value <= mostMs)) return value;
    throw faultAt([field], `${quote(field)} is outside the range that its host accepts.`);
  };
  let found: number | undefined;
  for (const time of written) {
    const value = fields.optional(() => read(time));
    if (found === undefined) found = value;
    // In Jackfield's own files, a `timeout` beside Jackfield's own field is there for other programs.
    else if (value !== undefined && value !== found && !dialect.strict) fields.leave(time.field);
  }
  return found;
}

/**
 * Whether the server is on, and which of its tools are offered. Either switch turns the server off. So does an unreadable switch or
 * list of tools, because what it was meant to keep out is unknown.
 */
function readSwitches(reader: EntryReader): Switches {
  const { fields, dialect, faultAt, tolerate } = reader;
  const { enabled, disabled, include, exclude } = dialect.fields;
  let isReadable = true;
  const safe = <T>(read: ReadField<T>, instead: string): ReadField<T> => {
    return (_fields, field) => {
      const found = fields.optional(() => read(fields, field), instead);
      if (tolerate && found === undefined) isReadable = false;
      return found;
    };
  };
  const isOff = [
    saysAnywhere(fields, enabled, safe(flag, FLAG), false),
    saysAnywhere(fields, disabled, safe(flag, FLAG), true),
  ].includes(true);
  const lists = {
    include: first(fields, include, safe(texts, NAMES)),
    exclude: first(fields, exclude, safe(texts, NAMES)),
  };
  const object = first(
    fields,
    dialect.toolsObject,
    safe((_fields, field) => readToolsObject(field, fields, faultAt), NAMES),
  );
  return { isOn: !isOff && isReadable, tools: object ?? filterOf(lists, dialect) };
}

/** What to write in place of an unreadable value. */
const FLAG = "true or false";
const NAMES = "a list of names";

interface Switches {
  readonly isOn: boolean;
  readonly tools: ToolFilter | undefined;
}

function hasAny(fields: EntryFields, names: FieldNames | undefined): boolean {
  if (typeof names === "string") return fields.has(names);
  return names?.some((name) => fields.has(name)) ?? false;
}

/** Whether one of these fields has a value. All are read, so that every fault is found. */
function saysAnywhere<T>(
  fields: EntryFields,
  names: FieldNames | undefined,
  read: ReadField<T>,
  wanted: T,
): boolean {
  const written = [names ?? []].flat().filter((name) => fields.has(name));
  return written.map((name) => read(fields, name)).includes(wanted);
}

function isWrittenIn(this: EntryFields, time: string | TimeField): boolean {
  return this.has(typeof time === "string" ? time : time.field);
}

function readToolsObject(field: string, fields: EntryFields, faultAt: FaultAt): ToolFilter | undefined {
  const written = fields.value(field);
  if (written === undefined) return undefined;
  if (!isRecord(written)) {
    const text = `${quote(field)} must be an object with "include" or "exclude", not ${kindOf(written)}.`;
    throw faultAt([field], text);
  }
  const filter = createEntryFields(written, (path, text): McpError => faultAt([field, ...path], text));
  const include = filter.texts("include");
  const exclude = filter.texts("exclude");
  const [stray] = Object.keys(filter.rest() ?? {});
  if (stray !== undefined) {
    throw faultAt(
      [field, stray],
      `${quote(field)} can have only "include" and "exclude", not ${quote(stray)}.`,
    );
  }
  return { include, exclude };
}

/** An `include` list with `*` means every tool, like no list. An empty `exclude` list is dropped. */
function filterOf(
  { include, exclude }: ToolFilter,
  { emptyIncludesAll }: EntryDialect,
): ToolFilter | undefined {
  const isAll = include?.includes("*") || (emptyIncludesAll && include?.length === 0);
  const filter = {
    ...(include && !isAll ? { include } : {}),
    ...(exclude && exclude.length > 0 ? { exclude } : {}),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}
