import { isRecord, toMcpError } from "@jackfield/mcp-core";
import { limitsOf } from "../entry/definition.ts";
import type { EntryContext } from "../entry/entry.ts";
import { type Reporting, readSourceEntry, type ServerSource, type SourceEntry } from "../entry/entry.ts";
import { quote } from "../entry/server-name.ts";
import { writtenPaths } from "../entry/shape.ts";
import type { CommonSettings, FindingContext, HostDialect } from "../hosts/host-dialect.ts";
import { remarksOn } from "../lint/remarks.ts";
import type { JsonMap } from "../read/json-value.ts";
import { dialectFor } from "../resolve/variables.ts";
import { askedVariables } from "./asked-variables.ts";
import {
  type ConfigDiagnostic,
  type ConfigProblem,
  describeLocation,
  diagnose,
  type Report,
} from "./diagnostics.ts";
import { type DocumentEntry, findEntries } from "./entries.ts";
import type { ParsedHostText } from "./host-files.ts";
import { applySwitches, type HostSwitch, offSwitch, readSwitches, switchOnly } from "./host-switches.ts";
import { layerEntries } from "./layered-entries.ts";

/** The files of one host, parsed; the strongest first. */
export interface HostDocuments {
  readonly dialect: HostDialect;
  readonly documents: readonly ParsedHostText[];
}

/** Reads the servers of one host, and applies its switches. */
async function readHostServers(
  { dialect, documents }: HostDocuments,
  context: FindingContext,
  reporting: Reporting,
): Promise<ServerSource> {
  const { report } = reporting;
  if (documents.length === 0) return { entries: [], problems: [], diagnostics: [] };
  const problems: ConfigProblem[] = [];
  const readings = Map.groupBy(documents, ({ file }) => file);
  const found: DocumentEntry[] = [];
  for (const document of documents) {
    const ofFile = readings.get(document.file) ?? [];
    if (ofFile.at(-1) === document) remarkOnFile(document, report);
    const { entries, problems: faults } = await findEntries(document, ofFile, context, report);
    problems.push(...faults);
    found.push(...entries);
  }
  const counting = documents.filter(({ scope }) => scope !== "project" || !context.ignoresProject);
  const switches = readSwitches(counting, context, report);
  const entrySwitches = new Map<string, HostSwitch[]>();
  const add = (name: string, found: HostSwitch | undefined) => {
    if (found === undefined || (found.scope === "project" && context.ignoresProject)) return;
    const known = entrySwitches.get(name);
    if (known) known.push(found);
    else entrySwitches.set(name, [found]);
  };
  const servers = found.filter((entry) => {
    const only = switchOnly(entry, dialect.layers === "joined-by-field");
    if (only === undefined) return true;
    add(entry.name, only);
    tellNotRunnable(entry, `it only switches a server of another file ${only.turns}`, report);
    return false;
  });
  const layers = dialect.layers === "joined-by-field" ? layerEntries(servers, context.platform) : servers;
  const entries = layers.flatMap((entry) => readEntry(entry, context, reporting) ?? []);
  const ofProject = new Set<string>();
  for (const { found: one, entry } of entries) {
    // The nearest file of a project says what the project wants.
    if (one.definedIn.scope !== "project" || ofProject.has(one.name)) continue;
    ofProject.add(one.name);
    add(one.name, offSwitch(one, entry));
  }
  const [ofUser, ofProjects] = [false, true].map((isOfProject) =>
    dialect.settingsOf?.(counting, isOfProject),
  );
  return {
    entries: entries.map(({ found: { name, extension }, entry }) => {
      const all = [...switches, ...(entrySwitches.get(name) ?? [])];
      const settings = entry.definedIn.scope === "project" ? ofProjects : ofUser;
      return withSettings(applySwitches(entry, extension, all, report), settings?.(name));
    }),
    problems,
    diagnostics: [],
  };
}

function withSettings(entry: SourceEntry, settings: CommonSettings | undefined): SourceEntry {
  const { outcome } = entry;
  if (!("definition" in outcome) || outcome.written === undefined || settings === undefined) return entry;
  const { definition, written } = outcome;
  const timeoutMs = written.timeoutMs ?? settings.timeoutMs;
  const connectTimeoutMs = written.connectTimeoutMs ?? settings.connectTimeoutMs;
  const include = settings.tools?.include ?? written.tools?.include;
  const exclude = [...(written.tools?.exclude ?? []), ...(settings.tools?.exclude ?? [])];
  const filter = { ...(include ? { include } : {}), ...(exclude.length > 0 ? { exclude } : {}) };
  const tools = Object.keys(filter).length > 0 ? filter : undefined;
  const changed = { ...written, timeoutMs, connectTimeoutMs, tools };
  return {
    ...entry,
    outcome: { definition: { ...definition, limits: limitsOf(changed), tools }, written: changed },
  };
}

function remarkOnFile(document: ParsedHostText, report: Report): void {
  for (const { code, path, text } of document.dialect.remarksOnFile?.(document) ?? []) {
    const location = document.document.locate(path);
    report(diagnose(code, `${describeLocation(location)}: ${text}`, location));
  }
}

function readEntry(
  found: DocumentEntry,
  context: FindingContext,
  reporting: Reporting,
): { found: DocumentEntry; entry: SourceEntry } | undefined {
  const { name, value, definedIn, dialect, error } = found;
  const option = found.option === undefined ? undefined : { option: found.option };
  const reason = isRecord(value) ? dialect.entry.notRunnable?.(value) : undefined;
  if (reason !== undefined) {
    tellNotRunnable(found, reason, reporting.report);
    return undefined;
  }
  if (error) return { found, entry: { name, definedIn, ...option, outcome: { error } } };
  const entryContext = {
    name,
    definedIn,
    inCode: false,
    dialect: dialect.entry,
    variables: dialect.variables,
    platform: context.platform,
  };
  const read = withVariables(
    readSourceEntry(value, entryContext, found.locate, reporting),
    dialect,
    context.platform,
  );
  const locate =
    context.isStandaloneFile && isRecord(value) ? locatorIn(value, entryContext, found) : undefined;
  const entry = option || locate ? { ...read, ...option, locate } : read;
  return { found, entry };
}

/** What an entry of a project refers to, which its approval lists and gives. */
function withVariables(entry: SourceEntry, dialect: HostDialect, platform: NodeJS.Platform): SourceEntry {
  const { outcome, definedIn } = entry;
  if (!("definition" in outcome) || definedIn.scope !== "project") return entry;
  const { definition } = outcome;
  const variables = askedVariables(definition, dialectFor(dialect.variables, definition), platform);
  if (variables.length === 0) return entry;
  return { ...entry, outcome: { ...outcome, definition: { ...definition, variables } } };
}

function tellNotRunnable({ name, locate }: DocumentEntry, reason: string, report: Report): void {
  const subject = name === "" ? "A server without a name" : `Server ${quote(name)}`;
  const message = `${subject} is left out: ${reason}.`;
  report(diagnose("not-runnable", message, locate([]), { server: name }));
}

function locatorIn(
  entry: JsonMap,
  entryContext: EntryContext,
  { locate }: DocumentEntry,
): SourceEntry["locate"] {
  const find = writtenPaths(entry, entryContext);
  return (path) => {
    const written = find(path);
    return { path: written, location: locate(written) };
  };
}

/** A fault in a dialect's own functions must not hide the other hosts. */
export async function readHostServersSafely(
  host: HostDocuments,
  context: FindingContext,
  report: Report,
): Promise<ServerSource> {
  try {
    const told: ConfigDiagnostic[] = [];
    const remarks = context.remarks === true ? remarksOn : undefined;
    const source = await readHostServers(host, context, {
      remarksOn: remarks,
      report: (diagnostic) => told.push(diagnostic),
    });
    const lacking = host.documents.filter(({ document }) => document.lacksPlaces);
    if (lacking.length > 0) {
      // Something has to be told, so lines are looked up, and everything is read once more with them. Hardly any file needs it.
      await Promise.all(lacking.map(({ document }) => document.places()));
      return await readHostServers(host, context, { remarksOn: remarks, report });
    }
    for (const diagnostic of told) report(diagnostic);
    return source;
  } catch (cause) {
    const text = `The configuration of ${host.dialect.title} could not be read.`;
    const error = toMcpError(cause, "MCP_INTERNAL", text, { phase: "config" });
    const definedIn = { scope: "user", host: host.dialect.id } as const;
    return { entries: [], problems: [{ definedIn, error, kind: "ConfigReadError" }], diagnostics: [] };
  }
}
