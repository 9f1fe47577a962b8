import { type DefinedIn, isRecord, type McpError, type SourceLocation } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import type { DuplicateKey } from "../documents/config-document.ts";
import { fieldName, type JsonPath } from "../documents/json-path.ts";
import { kindOf, valueAt } from "../documents/json-value.ts";
import type { FindingContext, HostDialect, ServerSection } from "../hosts/host-dialect.ts";
import { quote } from "../server-name.ts";
import { type ConfigProblem, describeLocation, invalidServer, invalidSource } from "./config-problem.ts";
import { type ParsedHostText, problemOf } from "./host-document.ts";
import { describeRepetition, type Repetitions, repetitionsIn, reportRepetitions } from "./repeated-keys.ts";
import { reportRootKeys } from "./root-keys.ts";

/** More entries than any real file has, and few enough to be read quickly. */
const MOST_SERVERS = 100_000;

/** An entry of a document, before it is read. */
export interface DocumentEntry {
  readonly name: string;
  readonly value: unknown;
  readonly definedIn: DefinedIn;
  readonly dialect: HostDialect;
  /** The kind of file it is in. */
  readonly kind: string;
  /** The id of this way to reach the server, if there are several. */
  readonly option?: string | undefined;
  readonly replaces?: boolean | undefined;
  /** What the entry replaces in weaker files, if its host otherwise joins them. */
  readonly replaced?: readonly DocumentEntry[] | undefined;
  /** If a project has a part in the entry: the entry without that part. */
  readonly withoutProject?: DocumentEntry | undefined;
  /** Why the entry cannot be used, whatever its content. */
  readonly error?: McpError | undefined;
  locate(path: JsonPath): SourceLocation;
}

/**
 * Finds the entries of a document, the strongest first.
 *
 * @param readings - all documents that the host has made of the same file, including this one; each has servers in other sections
 */
export function findEntries(
  source: ParsedHostText,
  readings: readonly ParsedHostText[],
  context: FindingContext,
  report: Report,
): { entries: readonly DocumentEntry[]; problems: readonly ConfigProblem[] } {
  const { document, content, servers } = source;
  if (servers === "none") return { entries: [], problems: [] };
  const sections = servers(content, context, source.file);
  const isThere = ({ path }: ServerSection) => valueAt(content, path) !== undefined;
  const found = sections.filter(isThere);
  // Remarks on the file as a whole are made once, by the weakest reading.
  if (readings.at(-1) === source) {
    const others = readings.slice(0, -1).flatMap((reading) => sectionsOf(reading, context));
    const [hasServers, hasOthers] = [found.length > 0, others.some(isThere)];
    const all = [...sections, ...others];
    const names = () => new Set(all.flatMap(({ path }) => Object.keys(valueAt(content, path) ?? {})));
    reportRootKeys(source, { sections: all, hasServers, hasOthers, names }, report);
    if (document.duplicates.length > 0) reportRepetitions(source, all, report);
  }
  const entries: DocumentEntry[] = [];
  const problems: ConfigProblem[] = [];
  const origin = originOf(source);
  for (const section of found) {
    if (section.elsewhere) {
      reportElsewhere(document.locate(section.path), section.elsewhere, report);
      continue;
    }
    const refused = repetitionsIn(source.dialect.entry.strict ? document.duplicates : [], section.path);
    const fault = sectionFault(source, section, refused);
    if (fault) problems.push(problemOf(source, "ConfigShapeError", fault));
    else {
      const { entriesOfProject } = context;
      const isLimited = source.scope === "project" && entriesOfProject !== undefined;
      const most = (count: number) =>
        isLimited ? entriesOfProject(source.file, section.path, count) : count;
      const members = membersOf(valueAt(content, section.path), section, most);
      for (const member of members) entries.push(entryOf(member, refused));
    }
  }
  return { entries, problems };

  function entryOf(member: Member, refused: Repetitions): DocumentEntry {
    const { name, value, path, section, option } = member;
    const duplicate = refused.firstIn(path);
    const { scope, dialect, kind } = source;
    const { file, line, column, pointer } = document.locate(path);
    const definedIn: DefinedIn = { scope: section.scope ?? scope, file, line, column, pointer, ...origin };
    return {
      name,
      value,
      definedIn,
      dialect,
      kind,
      option,
      replaces: section.replaces,
      error: duplicate ? ambiguous(name, duplicate, path.length) : nameFault(member, document),
      locate: (inner) => document.locate(isBeside(inner, section) ? inner : [...path, ...inner]),
    };
  }
}

function isBeside([field = ""]: JsonPath, { beside }: ServerSection): boolean {
  return beside !== undefined && Object.hasOwn(beside, field);
}

/** What all entries of a document say of their origin. */
function originOf({ host, realFile, root }: ParsedHostText): Partial<DefinedIn> {
  return {
    ...(host === undefined ? undefined : { host }),
    ...(realFile === undefined ? undefined : { realFile }),
    ...(root === undefined ? undefined : { root }),
  };
}

function sectionsOf(
  { servers, content, file }: ParsedHostText,
  context: FindingContext,
): readonly ServerSection[] {
  return servers === "none" ? [] : servers(content, context, file);
}

function reportElsewhere(location: SourceLocation, remarks: readonly string[], report: Report): void {
  for (const text of remarks) {
    report(diagnose("no-servers", `${describeLocation(location)}: ${text}`, location));
  }
}

interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly path: JsonPath;
  readonly section: ServerSection;
  readonly option?: string | undefined;
}

function sectionFault(
  { document, content }: ParsedHostText,
  section: ServerSection,
  { own }: Repetitions,
): McpError | undefined {
  const { path } = section;
  const value = valueAt(content, path);
  if (own) return invalidSource(own.again, `${describeRepetition(own, path.length)}; keep one.`);
  const size = isRecord(value) ? Object.keys(value).length : Array.isArray(value) ? value.length : 0;
  if (size > MOST_SERVERS) {
    return invalidSource(
      document.locate(path),
      `there are more than ${MOST_SERVERS} servers; split the file.`,
    );
  }
  const wanted = wantedAt(section, value);
  if (wanted === undefined) return undefined;
  const text = `${quote(fieldName(path))} must be ${wanted}, not ${kindOf(value)}.`;
  return invalidSource(document.locate(path), text);
}

/** What is expected in a section, if something else is there. */
function wantedAt({ name, nameField, optionOf }: ServerSection, value: unknown): string | undefined {
  if (optionOf) return Array.isArray(value) ? undefined : "a list";
  if (isRecord(value)) return undefined;
  if (name !== undefined) return "an object";
  if (nameField === undefined) return "an object of servers by name";
  return Array.isArray(value) ? undefined : "a list of servers";
}

/** @param most - how many of that many are used */
function membersOf(value: unknown, section: ServerSection, most: (count: number) => number): Member[] {
  const { path, isServer } = section;
  if (Array.isArray(value)) {
    const used = value.slice(0, most(value.length));
    return used.map((element, index) => memberOfList(element, index, section));
  }
  if (section.name !== undefined) {
    if (most(1) === 0) return [];
    const whole = isRecord(value) && section.beside ? { ...value, ...section.beside } : value;
    return [{ name: section.name, value: whole, path, section }];
  }
  const map = isRecord(value) ? value : {};
  const names = Object.keys(map);
  const ofServers = isServer ? names.filter((name) => isServer(map[name], name)) : names;
  return ofServers
    .slice(0, most(ofServers.length))
    .map((name) => ({ name, value: map[name], path: [...path, name], section }));
}

function memberOfList(value: unknown, index: number, section: ServerSection): Member {
  const { nameField = "", name, optionOf } = section;
  const named = isRecord(value) ? value[nameField] : undefined;
  const ownName = typeof named === "string" ? named : "";
  const member = { name: name ?? ownName, value, path: [...section.path, index], section };
  return optionOf ? { ...member, option: optionOf(value, index) } : member;
}

/** The fault of an entry whose name is missing or not a string. Otherwise a message would say that the name is empty. */
function nameFault(
  { value, path, section }: Member,
  document: ParsedHostText["document"],
): McpError | undefined {
  const { nameField } = section;
  if (nameField === undefined || !isRecord(value)) return undefined;
  const named = value[nameField];
  if (typeof named === "string") return undefined;
  if (named === undefined) {
    const field = quote(nameField);
    return invalidServer("", document.locate(path), `it has no ${field}; add ${field}.`);
  }
  const hint = typeof named === "number" || typeof named === "boolean" ? "; put it in quotes" : "";
  const text = `${quote(nameField)} must be a string, not ${kindOf(named)}${hint}.`;
  return invalidServer("", document.locate([...path, nameField]), text);
}

function ambiguous(name: string, duplicate: DuplicateKey, depth: number): McpError {
  const text = `${describeRepetition(duplicate, depth)}; keep the one you mean.`;
  return invalidServer(name, duplicate.again, text);
}
