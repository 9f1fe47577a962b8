import { isRecord, type ServerDefinition, type ToolFilter, toMcpError } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import type { JsonMap } from "../documents/json-value.ts";
import { limitsOf } from "../entries/defined-entry.ts";
import type { EntryContext } from "../entries/entry-context.ts";
import { writtenPaths } from "../entries/written-path.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { FindingContext, HostDialect, ListedServer, ListVerdict } from "../hosts/host-dialect.ts";
import { quote } from "../server-name.ts";
import { type ConfigProblem, locationOf } from "./config-problem.ts";
import { type DocumentEntry, findEntries } from "./document-entries.ts";
import type { ParsedHostText } from "./host-document.ts";
import { layerEntries } from "./layered-entries.ts";
import { readSourceEntry, type ServerSource, type SourceEntry } from "./server-source.ts";

/** The files of one host, parsed; the strongest first. */
export interface HostDocuments {
  readonly dialect: HostDialect;
  readonly documents: readonly ParsedHostText[];
  /** Whether there is a file that excludes the others, even a broken one. */
  readonly isExclusive: boolean;
  /** Whether a project's files count even if the host does not trust the project. */
  readonly isTrusted: boolean;
}

/**
 * Reads the servers of one host, and applies the host's lists. The servers of a project that the host does not trust are blocked;
 * nothing else is said of them.
 */
function readHostServers(host: HostDocuments, context: FindingContext, report: Report): ServerSource {
  const { dialect, isExclusive } = host;
  if (host.documents.length === 0) return { entries: [], problems: [], diagnostics: [] };
  const documents = host.documents.filter(({ scope }) => !isExclusive || scope === dialect.exclusiveScope);
  const trusted = documents.filter((document) => isTrusted(document, host, context, report));
  const reading = readDocuments(trusted, host, context, report);
  const verdictOf = askLists(host, context, report);
  const entries = reading.entries.map((found) => applyAllLists(found, verdictOf, report));
  if (trusted.length === documents.length) return { entries, problems: reading.problems, diagnostics: [] };
  const untrusted = readDocuments(
    documents.filter((document) => !trusted.includes(document)),
    host,
    context,
    () => {},
  );
  const reason = `${dialect.title} does not trust its project; trust the project there first`;
  const blocked = untrusted.entries
    .filter(({ entry: { outcome } }) => "definition" in outcome)
    .map(({ entry }) => ({ ...entry, block: { by: "host", reason } }));
  return { entries: [...entries, ...blocked], problems: reading.problems, diagnostics: [] };
}

/** Finds the entries of documents, joins them by the host's rule, and reads them. */
function readDocuments(
  documents: readonly ParsedHostText[],
  { dialect }: HostDocuments,
  context: FindingContext,
  report: Report,
): { readonly entries: readonly ReadSourceEntry[]; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const readings = Map.groupBy(documents, ({ file }) => file);
  const found = documents.flatMap((document) => {
    const ofFile = readings.get(document.file) ?? [];
    const { entries, problems: faults } = findEntries(document, ofFile, context, report);
    problems.push(...faults);
    return entries;
  });
  const entries = dialect.merge === "fields" ? layerEntries(found, context.platform) : found;
  return { entries: entries.flatMap((entry) => readEntry(entry, context, report) ?? []), problems };
}

/**
 * A project's lists apply to the project's own servers only: nobody has approved the lists, and they could switch a user's server
 * off, or one on that the user has switched off. In a file that is parsed by itself, they apply to all.
 */
function askLists(
  { dialect: { lists }, documents }: HostDocuments,
  context: FindingContext,
  report: Report,
): VerdictOf | undefined {
  if (lists === undefined) return undefined;
  const all = lists(documents, context, report);
  const others = documents.filter(({ scope }) => scope !== "project");
  if (context.isStandaloneFile || others.length === documents.length) return all;
  const withoutProjects = lists(others, context, () => {});
  return (server) => (server.definedIn.scope === "project" ? all : withoutProjects)(server);
}

function isTrusted(
  document: ParsedHostText,
  host: HostDocuments,
  context: FindingContext,
  report: Report,
): boolean {
  const { trustsProject, title } = host.dialect;
  const { scope, root, file } = document;
  if (host.isTrusted || scope !== "project" || !trustsProject || root === undefined) return true;
  if (trustsProject(host.documents, root, context)) return true;
  const message = `${file} is not used, because ${title} does not trust its project; trust it there first.`;
  report(diagnose("untrusted-project", message, { file }));
  return false;
}

interface ReadSourceEntry {
  readonly entry: SourceEntry;
  /** The kind of file it is in. */
  readonly kind: string;
  readonly replaced?: readonly ReadSourceEntry[] | undefined;
  readonly withoutProject?: ReadSourceEntry | undefined;
}

function readEntry(
  found: DocumentEntry,
  context: FindingContext,
  report: Report,
): ReadSourceEntry | undefined {
  const { name, value, definedIn, dialect, error, kind } = found;
  const option = found.option === undefined ? undefined : { option: found.option };
  const reason = isRecord(value) ? dialect.entry.notRunnable?.(value) : undefined;
  if (reason !== undefined) {
    const subject = name === "" ? "A server without a name" : `Server ${quote(name)}`;
    const instead = found.withoutProject ? "; the user's own is used" : "";
    const message = `${subject} is left out: ${reason}${instead}.`;
    report(diagnose("not-runnable", message, locationOf(definedIn), { server: name }));
    // A project that starts nothing takes nothing from the user either.
    return found.withoutProject && readEntry(found.withoutProject, context, report);
  }
  if (error) return { entry: { name, definedIn, ...option, outcome: { error } }, kind };
  const entryContext = {
    name,
    definedIn,
    inCode: false,
    dialect: dialect.entry,
    variables: dialect.variables,
    platform: context.platform,
    locate: found.locate,
  };
  const read = readSourceEntry(value, entryContext, report);
  const locate = context.isStandaloneFile && isRecord(value) ? locatorIn(value, entryContext) : undefined;
  const entry = option || locate ? { ...read, ...option, locate } : read;
  // Remarks are made on the whole entry only.
  const readQuietly = (other: DocumentEntry) => readEntry(other, context, () => {});
  const withoutProject = found.withoutProject && readQuietly(found.withoutProject);
  const replaced = found.replaced?.flatMap((other) => readQuietly(other) ?? []);
  return withoutProject || replaced ? { entry, kind, replaced, withoutProject } : { entry, kind };
}

function locatorIn(entry: JsonMap, entryContext: EntryContext): SourceEntry["locate"] {
  const find = writtenPaths(entry, entryContext);
  return (path) => {
    const written = find(path);
    return { path: written, location: entryContext.locate(written) };
  };
}

/** @param verdictOf - missing where the host has no lists */
function applyAllLists(
  found: ReadSourceEntry,
  verdictOf: VerdictOf | undefined,
  report: Report,
): SourceEntry {
  const entry = verdictOf ? applyLists(found.entry, found.kind, verdictOf, report) : found.entry;
  const { replaced, withoutProject } = found;
  if (!replaced && !withoutProject) return entry;
  const apply = (other: ReadSourceEntry) => applyAllLists(other, verdictOf, () => {});
  return {
    ...entry,
    replaced: replaced?.map(apply),
    withoutProject: withoutProject && apply(withoutProject),
  };
}

type VerdictOf = (server: ListedServer) => ReturnType<ReturnType<NonNullable<HostDialect["lists"]>>>;

function applyLists(entry: SourceEntry, kind: string, verdictOf: VerdictOf, report: Report): SourceEntry {
  const { name, definedIn, outcome } = entry;
  if (!("definition" in outcome) || !outcome.written) return entry;
  const verdict = verdictOf({ name, definedIn, kind, written: outcome.written });
  if (!verdict) return entry;
  return { ...entry, outcome: applyVerdict(verdict, outcome.definition, outcome.written, report) };
}

function applyVerdict(
  verdict: ListVerdict,
  given: ServerDefinition,
  givenAsWritten: WrittenServer,
  report: Report,
): SourceEntry["outcome"] {
  const { name, definedIn } = given;
  const { disabledBy, because, isSwitchedOn, tools, times } = verdict;
  if (disabledBy !== undefined) {
    const reason = because === undefined ? "" : `: ${because}`;
    const message = `Server ${quote(name)} is switched off by ${quote(disabledBy)}${reason}.`;
    report(diagnose("disabled-by-host", message, locationOf(definedIn), { server: name }));
  }
  const change = <T extends WrittenServer | ServerDefinition>(server: T): T => ({
    ...server,
    ...(isSwitchedOn ? { enabled: true } : {}),
    ...(disabledBy === undefined ? {} : { enabled: false }),
    ...(tools ? { tools: joinTools(server.tools, tools) } : {}),
  });
  const written = { ...change(givenAsWritten), ...(times ? missingTimes(givenAsWritten, times) : {}) };
  const definition = {
    ...change(given),
    ...(times ? { limits: limitsOf(written) } : {}),
    ...(disabledBy === undefined ? {} : { disabledBy }),
  };
  return { definition, written };
}

/** The list of tools to include replaces the entry's; the one to exclude is added to it. */
function joinTools(own: ToolFilter = {}, listed: ToolFilter): ToolFilter {
  const exclude = [...(own.exclude ?? []), ...(listed.exclude ?? [])];
  return {
    ...own,
    ...(listed.include ? { include: listed.include } : {}),
    ...(exclude.length > 0 ? { exclude } : {}),
  };
}

function missingTimes(written: WrittenServer, times: NonNullable<ListVerdict["times"]>) {
  const { connectTimeoutMs = times.connectTimeoutMs, timeoutMs = times.timeoutMs } = written;
  return { connectTimeoutMs, timeoutMs };
}

/** A fault in a dialect's own functions must not hide the other hosts. */
export function readHostServersSafely(
  host: HostDocuments,
  context: FindingContext,
  report: Report,
): ServerSource {
  try {
    return readHostServers(host, context, report);
  } catch (cause) {
    const text = `The configuration of ${host.dialect.title} could not be read.`;
    const error = toMcpError(cause, "MCP_INTERNAL", text, { phase: "config" });
    const definedIn = { scope: "user", host: host.dialect.id } as const;
    return { entries: [], problems: [{ definedIn, error, kind: "ConfigReadError" }], diagnostics: [] };
  }
}
