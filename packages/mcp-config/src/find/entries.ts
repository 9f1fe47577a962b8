import { type DefinedIn, isRecord, type McpError, type SourceLocation } from "@jackfield/mcp-core";
import { holdsValue, quote, quoteName } from "../entry/server-name.ts";
import type { FindingContext, HostDialect, ServerSection } from "../hosts/host-dialect.ts";
import type { DuplicateKey } from "../read/document.ts";
import {
  fieldName,
  isWithin,
  type JsonPath,
  jsonPointer,
  kindOf,
  shownKey,
  valueAt,
} from "../read/json-value.ts";
import {
  type ConfigProblem,
  describeLocation,
  describePlaces,
  diagnose,
  invalidServer,
  invalidSource,
  type Report,
} from "./diagnostics.ts";
import { MOST_REPORTED_KEYS, type ParsedHostText, problemOf } from "./host-files.ts";
import { isServerLike, listNames, reportUnreadFile, reportWrongKeys, serversIn } from "./wrong-keys.ts";

/** More entries than any real file has, and few enough to be read quickly. */
const MOST_SERVERS = 100_000;

/** An entry of a document, before it is read. */
export interface DocumentEntry {
  readonly name: string;
  readonly value: unknown;
  readonly definedIn: DefinedIn;
  readonly dialect: HostDialect;
  /** The name of the extension that it comes from. */
  readonly extension?: string | undefined;
  /** The id of this way to reach the server, if there are several. */
  readonly option?: string | undefined;
  /** Why the entry cannot be used, whatever its content. */
  readonly error?: McpError | undefined;
  locate(path: JsonPath): SourceLocation;
}

/** What is wrong with a section or an entry. */
interface Fault {
  readonly path: JsonPath;
  readonly text: string;
  /** Set if it is not the place of the value at the path. */
  readonly place?: SourceLocation | undefined;
}

/**
 * Finds the entries of a document, the strongest first.
 *
 * @param readings - all documents that the host has made of the same file, including this one; each has servers in other sections
 */
export async function findEntries(
  source: ParsedHostText,
  readings: readonly ParsedHostText[],
  context: FindingContext,
  report: Report,
): Promise<{ entries: readonly DocumentEntry[]; problems: readonly ConfigProblem[] }> {
  const { document, content, servers, file } = source;
  if (servers === "none") {
    await reportUnreadFile(source, context, report);
    return { entries: [], problems: [] };
  }
  const sections = servers(content, context, file);
  // A key without a value is left where all servers were removed or commented out.
  const isThere = ({ path }: ServerSection) => (valueAt(content, path) ?? undefined) !== undefined;
  const found = sections.filter(isThere);
  // Remarks on the file as a whole are made once, by the weakest reading.
  if (readings.at(-1) === source) {
    const others = readings
      .slice(0, -1)
      .flatMap((reading) => (reading.servers === "none" ? [] : reading.servers(content, context, file)));
    const [hasServers, hasOthers] = [found.length > 0, others.some(isThere)];
    const all = [...sections, ...others];
    const names = () => new Set(all.flatMap(({ path }) => Object.keys(valueAt(content, path) ?? {})));
    await reportWrongKeys(
      source,
      { sections: all, hasServers, hasOthers, names, remarks: context.remarks },
      report,
    );
    if (document.duplicates.length > 0) reportRepetitions(source, all, report);
  }
  const entries: DocumentEntry[] = [];
  const problems: ConfigProblem[] = [];
  for (const section of found) {
    if (section.elsewhere) {
      const location = (await document.places())(section.path);
      for (const text of section.elsewhere) {
        report(diagnose("no-servers", `${describeLocation(location)}: ${text}`, location));
      }
      continue;
    }
    const refused = repetitionsIn(source.dialect.entry.strict ? document.duplicates : [], section.path);
    const fault = sectionFault(source, section, refused);
    if (fault)
      problems.push(problemOf(source, "ConfigShapeError", invalidSource(await placeOf(fault), fault.text)));
    else {
      const { entriesOfProject } = context;
      const isLimited = source.scope === "project" && entriesOfProject !== undefined;
      const most = (count: number) => (isLimited ? entriesOfProject(file, section.path, count) : count);
      const members = membersOf(valueAt(content, section.path), section, most);
      for (const member of members) {
        const wrong = memberFault(member, refused, file);
        entries.push(entryOf(member, wrong && invalidServer(wrong.name, await placeOf(wrong), wrong.text)));
      }
    }
  }
  return { entries, problems };

  async function placeOf({ path, place }: Fault): Promise<SourceLocation> {
    return place ?? (await document.places())(path);
  }

  function entryOf(member: Member, error: McpError | undefined): DocumentEntry {
    const { name, value, path, section, option } = member;
    const { host, realFile } = source;
    const root = section.root ?? source.root;
    return {
      name,
      value,
      definedIn: {
        ...{ scope: section.scope ?? source.scope, file, pointer: jsonPointer(path) },
        ...(host === undefined ? undefined : { host }),
        ...(realFile === undefined ? undefined : { realFile }),
        ...(root === undefined ? undefined : { root }),
      },
      dialect: source.dialect,
      extension: source.extension,
      option,
      error,
      locate: (inner) => document.locate(isBeside(inner, section) ? inner : [...path, ...inner]),
    };
  }
}

function isBeside([field = ""]: JsonPath, { beside }: ServerSection): boolean {
  return beside !== undefined && Object.hasOwn(beside, field);
}

interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly path: JsonPath;
  readonly section: ServerSection;
  readonly option?: string | undefined;
}

function sectionFault(
  { file, content }: ParsedHostText,
  section: ServerSection,
  { own }: ReturnType<typeof repetitionsIn>,
): Fault | undefined {
  const { path } = section;
  const value = valueAt(content, path);
  if (own) {
    return { path, text: `${describeRepetition(own, path.length)}; keep one.`, place: againAt(own, file) };
  }
  const size = isRecord(value) ? Object.keys(value).length : Array.isArray(value) ? value.length : 0;
  if (size > MOST_SERVERS) {
    return { path, text: `there are more than ${MOST_SERVERS} servers; split the file.` };
  }
  const wanted = wantedAt(section, value);
  if (wanted !== undefined) {
    const names = serversIn(value);
    const loss =
      names.length === 0 ? "" : `, so ${listNames(names)} ${names.length === 1 ? "is" : "are"} lost`;
    return { path, text: `${quote(fieldName(path))} must be ${wanted}, not ${kindOf(value)}${loss}.` };
  }
  const isUnnamed = section.name === undefined && path.length > 0 && isServerLike(value);
  if (!isUnnamed) return undefined;
  const text = `${quote(fieldName(path))} holds a server without a name; put it into an object under a name of your choice.`;
  return { path, text };
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

/** What is wrong with an entry before it is read. */
function memberFault(
  { name, value, path, section }: Member,
  refused: ReturnType<typeof repetitionsIn>,
  file: string,
): (Fault & { readonly name: string }) | undefined {
  const duplicate = refused.firstIn(path);
  if (duplicate) {
    const text = `${describeRepetition(duplicate, path.length)}; keep the one you mean.`;
    return { name, path, text, place: againAt(duplicate, file) };
  }
  if (!isRecord(value)) return undefined;
  const { nameField } = section;
  if (nameField !== undefined && typeof value[nameField] !== "string") {
    const named = value[nameField];
    const field = quote(nameField);
    // Otherwise a message would say that the name is empty.
    if (named === undefined) return { name: "", path, text: `it has no ${field}; add ${field}.` };
    const hint = typeof named === "number" || typeof named === "boolean" ? "; put it in quotes" : "";
    const text = `${field} must be a string, not ${kindOf(named)}${hint}.`;
    return { name: "", path: [...path, nameField], text };
  }
  const held = section.name === undefined && !isServerLike(value) ? serversIn(value) : [];
  // Some hosts have the address of a server in an object of this name.
  if (Object.hasOwn(value, "transport")) return undefined;
  if (held.length === 0 || held.length < Object.keys(value).length) return undefined;
  const text = `it is no server, but holds ${listNames(held)}, which ${held.length === 1 ? "is" : "are"} one level too deep and lost. Move ${held.length === 1 ? "it" : "them"} up.`;
  return { name, path, text };
}

/**
 * The repeated keys of a section of servers: its own, and the first one in an entry, where a person could read one value while the program
 * uses the other (threat T11). They are gone over once, since a section may have as many entries as a file has repeated keys.
 */
function repetitionsIn(duplicates: readonly DuplicateKey[], section: JsonPath) {
  let own: DuplicateKey | undefined;
  let first: DuplicateKey | undefined;
  const firsts = new Map<string | number, DuplicateKey>();
  for (const duplicate of duplicates) {
    const { path } = duplicate;
    if (!isWithin(path, section)) continue;
    first ??= duplicate;
    const entry = path[section.length];
    if (entry === undefined) own ??= duplicate;
    else if (!firsts.has(entry)) firsts.set(entry, duplicate);
  }
  return {
    own,
    firstIn(path: JsonPath) {
      const entry = path[section.length];
      return entry === undefined ? first : firsts.get(entry);
    },
  };
}

/** Reports the first 100 repeated keys of a file one by one, and how many others there are. */
function reportRepetitions(
  { document, dialect, file }: ParsedHostText,
  sections: readonly ServerSection[],
  report: Report,
): void {
  const { strict } = dialect.entry;
  const effect = strict ? "" : "; the last one counts";
  for (const duplicate of document.duplicates.slice(0, MOST_REPORTED_KEYS)) {
    const { server, depth } = ownerOf(duplicate, sections);
    const place = againAt(duplicate, file);
    const message = `${describeLocation(place)}: ${describeRepetition(duplicate, depth)}${effect}.`;
    const isLost = strict && server !== undefined;
    const shown = server === undefined ? undefined : shownKey(server);
    const details = { severity: isLost ? "error" : "warning", server: shown } as const;
    const isNamed = duplicate.path.length > depth && holdsValue(String(duplicate.path.at(-1)));
    const pointer = isNamed ? jsonPointer(duplicate.path.slice(0, -1)) : place.pointer;
    report(diagnose("duplicate-key", message, { ...place, pointer }, details));
  }
  const others = document.duplicates.slice(MOST_REPORTED_KEYS);
  if (others.length === 0) return;
  const isAnyLost = strict && others.some((duplicate) => ownerOf(duplicate, sections).server !== undefined);
  const message = `${file}: keys are written again in ${describePlaces(others.length)}${effect}.`;
  report(diagnose("duplicate-key", message, { file }, { severity: isAnyLost ? "error" : "warning" }));
}

/** The server that a key belongs to, and the length of its path. */
function ownerOf({ path }: DuplicateKey, sections: readonly ServerSection[]) {
  const section = sections.find((candidate) => isWithin(path, candidate.path));
  const depth = (section?.path.length ?? 0) + 1;
  return { server: section && (section.name ?? path[depth - 1]), depth };
}

/** @param depth - the length of an entry's path, so that a field is named from its entry on */
function describeRepetition({ path, first, again }: DuplicateKey, depth: number): string {
  const named =
    path.length > depth ? quoteName(fieldName(path.slice(depth))) : quote(fieldName(path.slice(-1)));
  const here = again.line === first.line ? `, column ${first.column}` : "";
  return `${named} is written more than once, first on line ${first.line}${here}`;
}

function againAt({ path, again }: DuplicateKey, file: string): SourceLocation {
  return { file, ...again, pointer: jsonPointer(path) };
}
