import {
  type DefinedIn,
  type InProcessServerDefinition,
  isRecord,
  isSameJson,
  McpError,
  type ServerDefinition,
  type SourceLocation,
  type ToolFilter,
  toMcpError,
} from "@jackfield/mcp-core";
import {
  type ConfigDiagnostic,
  type ConfigProblem,
  describeLocation,
  diagnose,
  invalidServer,
  type Report,
} from "../find/diagnostics.ts";
import { createMap, type JsonMap, type JsonPath, kindOf } from "../read/json-value.ts";
import type { VariableDialect } from "../resolve/variables.ts";
import { defineServer, limitsOf } from "./definition.ts";
import { type EntryDialect, exampleText, flatten, shortestEntries } from "./entry-dialect.ts";
import { EntryFault, EntryReading, type FaultAt, type LeftOut, subjectOf } from "./entry-fault.ts";
import {
  type EntryTransport,
  isOAuthField,
  MAY_BE_OBJECTS,
  readOAuth,
  readTransport,
  readValue,
} from "./fields.ts";
import { quote, serverNameFault, shownLocation } from "./server-name.ts";
import { type FieldName, type FieldRule, isAbsent, type Spelling, shapeOf, writtenPaths } from "./shape.ts";
import type { WrittenServer } from "./written-server.ts";

/** Where an entry stands, and how it is read. */
export interface EntryContext {
  readonly name: string;
  readonly definedIn: DefinedIn;
  /** What a relative `cwd`, `command` or `envFile` is relative to. Default: by the host's rule, for the file that wrote it. */
  readonly directory?: string | undefined;
  /** Whether it was given in code, so that it may hold a server instance. */
  readonly inCode: boolean;
  readonly dialect: EntryDialect;
  readonly variables: VariableDialect;
  /** The platform it is read for. */
  readonly platform: NodeJS.Platform;
}

/** The result of reading an entry. */
export interface ServerEntry {
  readonly transport: EntryTransport;
  /** Missing for an in-process server, which has no written form. */
  readonly written?: WrittenServer | undefined;
  readonly definition: ServerDefinition;
  readonly leftOut: readonly LeftOut[];
  /** The fields that were not read; each with a name of the entry, reshaped by its host. */
  readonly unread?: JsonMap | undefined;
}

/**
 * Reads one entry by the rules of its host. Values stay unexpanded; unknown fields are kept in `extra`. A known field that is `null`,
 * an empty text or an empty object is like none.
 *
 * In a strict dialect a known field of the wrong type refuses the entry, because a limit or a filter that is silently dropped protects
 * nobody. In the others a faulty field that the server can do without is left out.
 *
 * @throws EntryFault for the first fault that refuses the entry
 */
function readServerEntry(value: unknown, context: EntryContext): ServerEntry {
  const { name, dialect, definedIn, platform } = context;
  if (!isRecord(value)) {
    const isToml = /\.toml$/i.test(definedIn.file ?? "");
    const shape = shortestEntries(dialect)
      .map((example) => exampleText(example, isToml))
      .join(" or ");
    throw new EntryFault([], `the entry must be an object, not ${kindOf(value)}; write ${shape}.`);
  }
  const nameFault = serverNameFault(name, dialect.strict === true);
  if (nameFault) throw new EntryFault([], `${nameFault}; choose another.`);
  const shape = shapeOf(dialect);
  const entry = withoutAbsent(value, dialect, shape);
  const refusal = dialect.findFault?.(withoutEmptyMaps(entry), name);
  if (refusal) throw new EntryFault(refusal.field === "" ? [] : [refusal.field], refusal.text);
  const { entry: flat, aside: left } = flatten(entry, dialect);
  const reshaping = { remark: () => {}, platform, definedIn, given: entry };
  const shaped = dialect.reshape?.(flat, reshaping) ?? flat;
  const reading = new EntryReading(context, value, entry);
  const { transport, values } = readFields(shaped, shape, context, reading);
  const unread = reading.rest;
  if (transport === "in-process") {
    const server = readInstance(shaped.server, reading.faultAt);
    const { enabled, lazy, shared, tools } = values;
    const settings = { ...(enabled ? {} : { enabled }), lazy, shared, limits: limitsOf(values), tools };
    const definition = { name, definedIn, ...settings, extra: unread, transport, server };
    return { transport, definition, leftOut: reading.leftOut, unread };
  }
  const aside = dialect.removedFields?.(flat);
  const extra = left || aside ? { ...unread, ...left, ...aside } : unread;
  const requires = dialect.requires?.(entry);
  const written: WrittenServer = { ...values, transport };
  if (requires) Object.assign(written, { requires });
  if (extra) Object.assign(written, { extra });
  const expansionData = dialect.readExpansionData?.(entry, definedIn);
  const whole = expansionData ? { ...written, extra: { ...extra, ...expansionData } } : written;
  const find = writtenPaths(value, context);
  const definition = defineServer(dialect.addHostFields?.(whole) ?? whole, context, (path, text) => {
    const found = find(path);
    return new EntryFault(found, `${subjectOf(found)} ${text}`);
  });
  return { transport, written, definition, leftOut: reading.leftOut, unread };
}

/** The entry without known fields that hold nothing, so that no rule of a host takes them for something. */
function withoutAbsent(
  given: JsonMap,
  { transport, oauth }: EntryDialect,
  { spellings }: ReturnType<typeof shapeOf>,
): JsonMap {
  const isLeftOut = (field: string) => {
    const spelling = spellings.get(field);
    if (spelling !== undefined) return isIdle(given[field], spelling);
    return (field === transport.field || field === oauth?.object) && isAbsent(given[field]);
  };
  const fields = Object.keys(given);
  if (!fields.some(isLeftOut)) return given;
  const entry = createMap();
  for (const field of fields) if (!isLeftOut(field)) entry[field] = given[field];
  return entry;
}

/** The entry for the rules by which its host refuses one: what holds nothing breaks none of them. */
function withoutEmptyMaps(entry: JsonMap): JsonMap {
  const isEmpty = (value: unknown) => isRecord(value) && isAbsent(value);
  const fields = Object.keys(entry);
  if (!fields.some((field) => isEmpty(entry[field]))) return entry;
  return Object.fromEntries(
    fields.filter((field) => !isEmpty(entry[field])).map((field) => [field, entry[field]]),
  );
}

/** The values that are read of an entry, by Jackfield's names. */
type Values = Omit<WrittenServer, "transport">;

interface Candidate {
  readonly spelling: Spelling;
  readonly value: unknown;
}

/** Reads every field of an entry; those of the other transport, and unknown ones, are left. */
function readFields(
  entry: JsonMap,
  { spellings }: ReturnType<typeof shapeOf>,
  { dialect, inCode }: EntryContext,
  reading: EntryReading,
): { readonly transport: EntryTransport; readonly values: Values } {
  const transport = readTransport(entry, dialect, inCode, reading);
  const isRemote = transport === "http" || transport === "sse";
  const found = new Map<FieldName, Candidate[]>();
  let hasOAuth = false;
  for (const field of Object.keys(entry)) {
    const value = entry[field];
    if (value === undefined || field === dialect.transport.field) continue;
    const spelling = spellings.get(field);
    if (spelling !== undefined && isIdle(value, spelling)) continue;
    if (spelling !== undefined && isReadFor(transport, spelling) && !isSomethingElse(spelling, value)) {
      const others = found.get(spelling.field);
      if (others === undefined) found.set(spelling.field, [{ spelling, value }]);
      else others.push({ spelling, value });
    } else if (isRemote && isOAuthField(field, dialect)) hasOAuth = true;
    else if (transport !== "in-process" || field !== "server") reading.leave(field, value);
  }
  // Without prototype, so that a missing value is never somebody else's.
  const values: { -readonly [field in keyof Values]: Values[field] } = Object.assign(createMap(), {
    enabled: true,
  });
  for (const [field, candidates] of found) {
    if (field === "include" || field === "exclude") continue;
    const isSwitch = field === "enabled" || field === "disabled";
    if (
      isSwitch &&
      candidates.map((candidate) => readCandidate(candidate, reading)).includes(field === "disabled")
    )
      values.enabled = false;
    const value = isSwitch ? undefined : firstOf(candidates, reading);
    if (value !== undefined) Object.assign(values, { [field]: value });
  }
  const tools = readTools(found.get("include") ?? [], found.get("exclude") ?? [], dialect, reading);
  if (tools !== undefined) values.tools = tools;
  if (hasOAuth) {
    const oauth = readOAuth(entry, dialect, reading);
    if (oauth !== undefined) values.oauth = oauth;
  }
  // What an unreadable switch or list was meant to keep out is not known.
  if (!reading.isReadable) values.enabled = false;
  return { transport, values };
}

/** Whether a known field holds nothing. Maps may be empty. */
function isIdle(value: unknown, { kind }: FieldRule): boolean {
  const isMap = kind === "variables" || kind === "headers";
  return isAbsent(value) && !(isMap && isRecord(value));
}

function isReadFor(transport: EntryTransport, { of, field }: Spelling): boolean {
  if (transport === "in-process") return of === undefined && field !== "env" && field !== "envFile";
  return of === undefined || (of === "process") === (transport === "stdio");
}

/** Whether a field called `tools`, or the like, is no list of tools, in a file whose host does not know one. */
function isSomethingElse({ isForeign, name }: Spelling, value: unknown): boolean {
  if (!isForeign || !MAY_BE_OBJECTS.includes(name) || Array.isArray(value)) return false;
  return (
    !isRecord(value) || !Object.keys(value).every((member) => member === "include" || member === "exclude")
  );
}

/**
 * The value of a field that may have several names. All are read, so that every fault is found; the first name counts, and one with
 * another value is left.
 */
function firstOf(candidates: readonly Candidate[], reading: EntryReading): unknown {
  const [only, second] = candidates;
  if (only !== undefined && second === undefined) return readCandidate(only, reading);
  let first: unknown;
  for (const candidate of candidates.toSorted((one, other) => one.spelling.rank - other.spelling.rank)) {
    const { spelling, value } = candidate;
    const read = readCandidate(candidate, reading);
    // In Jackfield's own files, a `timeout` beside Jackfield's own field is there for other programs.
    const isForOthers = reading.strict && spelling.kind === "time";
    if (first === undefined) first = read;
    else if (read !== undefined && !isSameJson(first, read) && !isForOthers)
      reading.leave(spelling.name, value);
  }
  return first;
}

/** What to write in place of what switches the server off because it cannot be read. */
const INSTEAD: { readonly [kind: string]: string } = { switch: "true or false", filter: "a list of names" };

function readCandidate({ spelling, value }: Candidate, reading: EntryReading): unknown {
  if (spelling.isVital) return readValue(spelling, value, reading);
  return reading.optional(() => readValue(spelling, value, reading), INSTEAD[spelling.kind]);
}

/**
 * Which tools are offered. Lists under names that the host does not know exclude as well; of lists to include, the host's counts. A
 * list to include with `*` means every tool, like no list.
 */
function readTools(
  include: readonly Candidate[],
  exclude: readonly Candidate[],
  { emptyIncludesAll }: EntryDialect,
  reading: EntryReading,
): ToolFilter | undefined {
  // An empty list under another host's name is what a tool wrote for none.
  const filled = include.filter(({ spelling, value }) => !(spelling.isForeign && isSameJson(value, [])));
  if (filled.length === 0 && exclude.length === 0) return undefined;
  const { include: included, exclude: others = [] } = (firstOf(filled, reading) ?? {}) as ToolFilter;
  const own = exclude.filter(({ spelling }) => !spelling.isForeign);
  const foreign = exclude.filter(({ spelling }) => spelling.isForeign);
  const filters = [firstOf(own, reading), ...foreign.map((one) => readCandidate(one, reading))];
  const excluded = [
    ...others,
    ...(filters as (ToolFilter | undefined)[]).flatMap((one) => one?.exclude ?? []),
  ];
  const isAll = included?.includes("*") || (emptyIncludesAll && included?.length === 0);
  const filter = {
    ...(included && !isAll ? { include: included } : {}),
    ...(excluded.length > 0 ? { exclude: excluded } : {}),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

function readInstance(server: unknown, faultAt: FaultAt): InProcessServerDefinition["server"] {
  const isInstance = isRecord(server) && typeof server.connect === "function";
  if (isInstance || typeof server === "function") return server as InProcessServerDefinition["server"];
  throw faultAt(["server"], `must be an MCP server or a function that makes one, not ${kindOf(server)}.`);
}

/** One entry of a source: a server, or the reason why it is none. */
export interface SourceEntry {
  readonly name: string;
  readonly definedIn: DefinedIn;
  /** The id of this way to reach the server, if there are several. */
  readonly option?: string | undefined;
  /** Finds something in the entry by Jackfield's own field names; `path` has the file's. Set if a file is parsed by itself. */
  readonly locate?: ((path: JsonPath) => { path: JsonPath; location: SourceLocation }) | undefined;
  readonly outcome:
    | { readonly definition: ServerDefinition; readonly written?: WrittenServer | undefined }
    | { readonly error: McpError };
}

/** The content of one file, of one host or of the `servers` option. */
export interface ServerSource {
  /** The file, if the caller has named it. */
  readonly file?: string | undefined;
  /** The strongest first; a name may occur more than once. */
  readonly entries: readonly SourceEntry[];
  /** What could not be used, apart from single entries. */
  readonly problems: readonly ConfigProblem[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/** What is told about an entry. */
export interface Reporting {
  readonly report: Report;
  /** Makes remarks, besides what is told of fields that were left out. Default: none are made. */
  readonly remarksOn?: typeof import("../lint/remarks.ts").remarksOn | undefined;
}

/** Reads one entry; a fault becomes the entry's outcome, so that its neighbours are read as well. */
export function readSourceEntry(
  entry: unknown,
  context: EntryContext,
  locate: (path: JsonPath) => SourceLocation,
  { remarksOn, report }: Reporting,
): SourceEntry {
  const { name, definedIn } = context;
  let read: ServerEntry | undefined;
  let error: unknown;
  try {
    read = readServerEntry(entry, context);
  } catch (cause) {
    error =
      cause instanceof EntryFault
        ? invalidServer(name, shownLocation(locate, cause.path), cause.message)
        : cause;
  }
  for (const { path, text, severity } of read?.leftOut ?? []) {
    const location = shownLocation(locate, path);
    const message = `Server ${quote(name)} (${describeLocation(location)}): ${text}`;
    report(diagnose("invalid-field", message, location, { server: name, severity }));
  }
  const remarks = read !== undefined || error instanceof McpError ? remarksOn?.(entry, context, read) : [];
  for (const { code, path, text, ...details } of remarks ?? []) {
    const location = shownLocation(locate, path);
    report(diagnose(code, `Server ${quote(name)}: ${text}`, location, { server: name, ...details }));
  }
  return read === undefined ? unreadableEntry(name, definedIn, error) : { name, definedIn, outcome: read };
}

/** An entry whose reading threw; the outcome is what was thrown, or an error that it caused. */
export function unreadableEntry(name: string, definedIn: DefinedIn, cause: unknown): SourceEntry {
  const text = `Server ${quote(name)}: its entry cannot be read.`;
  const details = { server: name, phase: "config", location: definedIn } as const;
  return { name, definedIn, outcome: { error: toMcpError(cause, "MCP_CONFIG_INVALID", text, details) } };
}
