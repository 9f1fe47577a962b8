import { type DefinitionScope, isRecord, McpError, toMcpError } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { quote } from "../entry/server-name.ts";
import {
  type FindServers,
  type FollowedFile,
  filesAndMisplaced,
  type HostDialect,
  type HostDocument,
  type HostFile,
  type HostPath,
  type HostSurroundings,
} from "../hosts/host-dialect.ts";
import { formatOf, rulesOf } from "../hosts/host-dialects.ts";
import { pathRules, readPattern } from "../hosts/host-paths.ts";
import { type ConfigDocument, type ConfigFormat, parseConfigDocument } from "../read/document.ts";
import { FORBIDDEN_KEY, kindOf } from "../read/json-value.ts";
import {
  type ConfigDiagnostic,
  type ConfigProblem,
  type DiagnosticCode,
  describeLocation,
  describePlaces,
  diagnose,
  invalidSource,
  type Report,
} from "./diagnostics.ts";
import type { HostDocuments } from "./host-servers.ts";
import {
  leadsOut,
  MOST_NAMES_OF_PROJECT,
  OUTSIDE,
  type ProjectAllowance,
  type ReadOnce,
  refusalOf,
} from "./read-once.ts";

const { existsSync, lstatSync, opendirSync, readdirSync } = fileSystem;

/** More files than any real folder has. */
const MOST_MATCHES = 1000;

/** How far files are followed: a list of plugins leads to a plugin, and that to its files. */
const DEEPEST_LEAD = 2;

/** What was found of one host. */
export interface FoundHost extends HostDocuments {
  readonly problems: readonly ConfigProblem[];
}

/** Finds and parses a host's files. A missing file is ignored unless an extension names it; one that cannot be used is a problem. */
export async function readHostFiles(
  dialect: HostDialect,
  at: HostSurroundings,
  readOnce: ReadOnce,
  report: Report,
): Promise<FoundHost> {
  const policy = administratorFile(dialect, at);
  if (policy !== undefined) {
    const message = `No server of ${dialect.title} is used, because an administrator's file (${policy}) decides about them, by rules that Jackfield does not apply. Name the servers that you need yourself: with servers or configFiles in code, with --config on the command line.`;
    report(diagnose("unapplied-rules", message, { file: policy }));
    return { dialect, documents: [], problems: [] };
  }
  const candidates = findCandidates(dialect, at, readOnce);
  const first = await readCandidates(candidates, dialect, at, readOnce, report);
  const found = [first];
  const seen = new Set<string>();
  for (let depth = 0; depth < DEEPEST_LEAD; depth += 1) {
    const followed = followedCandidates(found.at(-1)?.documents ?? [], dialect, at).filter(
      ({ path: { file } }) => !seen.has(file) && seen.add(file),
    );
    if (followed.length === 0) break;
    found.push(await readCandidates(followed, dialect, at, readOnce, report));
  }
  const told = found.flatMap(({ problems }) => problems);
  return {
    dialect,
    documents: found.flatMap(({ documents }) => documents),
    problems: told.filter(
      ({ error }, index) => index === told.findIndex((other) => isSame(other.error, error)),
    ),
  };
}

/** An administrator's file that is there, or whose folder cannot be examined. */
function administratorFile({ administered }: HostDialect, at: HostSurroundings): string | undefined {
  const paths = administered?.(at) ?? [];
  return paths.flatMap((path) => (path.isPattern ? expandPattern(path, at, namesIn) : [path])).find(isThere)
    ?.file;
}

function isThere({ file }: HostPath): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    return !(cause instanceof Error && "code" in cause && cause.code === "ENOTDIR");
  }
}

/** A file that is read as several kinds reports a fault only once. */
function isSame(one: McpError, other: McpError): boolean {
  return one.message === other.message && one.location?.file === other.location?.file;
}

interface Candidate {
  readonly path: HostPath & Pick<FollowedFile, "isNamed">;
  readonly file: Pick<HostFile, "kind" | "scope" | "format" | "servers" | "script" | "writtenFor" | "parts">;
}

function findCandidates(
  dialect: HostDialect,
  at: HostSurroundings,
  { allowance, ofHosts }: Pick<ReadOnce, "allowance" | "ofHosts">,
): readonly Candidate[] {
  const listed: Candidate[] = [];
  const own = new Set<string>();
  for (const file of ofHosts ? filesAndMisplaced(dialect) : dialect.files) {
    for (const path of file.paths(at)) {
      if (file.kind === "misplaced" && ofHosts?.has(path.file)) continue;
      listed.push({ file, path });
      if (file.scope !== "project") own.add(path.file);
    }
  }
  return listed.flatMap((candidate) => {
    const { file, path } = candidate;
    // In the home directory, the user's own file is also in the place of a project's. No project has brought it.
    if (file.scope === "project" && own.has(path.file)) return [];
    if (!path.isPattern) return candidate;
    const names = file.scope === "project" ? (folder: string) => namesOfProject(folder, allowance) : namesIn;
    return expandPattern(path, at, names).map((found) => ({ file, path: found }));
  });
}

/** Every path that matches a pattern, sorted by name. */
function expandPattern(path: HostPath, at: HostSurroundings, list: typeof namesIn): readonly HostPath[] {
  const pattern = readPattern(path, at);
  const names = list(pattern.folder).filter(pattern.matches).sort();
  return names.slice(0, MOST_MATCHES).map((name) => ({
    file: pattern.fileOf(name),
    root: path.root ?? (pattern.areFolders ? pathRules(at).join(pattern.folder, name) : undefined),
  }));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** No names of a folder with too many: which of them come first is not known before all are listed and sorted. */
function namesOfProject(folder: string, allowance: ProjectAllowance): readonly string[] {
  const names: string[] = [];
  try {
    using entries = opendirSync(folder, { bufferSize: 256 });
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      if (names.length === MOST_NAMES_OF_PROJECT) {
        allowance.leaveOut(folder);
        return [];
      }
      names.push(entry.name);
    }
  } catch {
    return [];
  }
  return names;
}

async function readCandidates(
  candidates: readonly Candidate[],
  dialect: HostDialect,
  at: HostSurroundings,
  readOnce: ReadOnce,
  report: Report,
) {
  const documents: ParsedHostText[] = [];
  const problems: ConfigProblem[] = [];
  const loaded: HostText[] = [];
  for (const candidate of candidates) {
    const { script, scope, kind, format, servers } = candidate.file;
    const { file, text, isNamed, root, extension } = candidate.path;
    if (script !== undefined) {
      if (existsSync(file)) reportScript(file, script, report);
      continue;
    }
    const rules = rulesOf(candidate.file, dialect);
    const source: Omit<HostText, "text"> = {
      ...{ file, root, extension, kind, scope, dialect: rules, host: rules.id },
      format: format ?? formatOf(file, rules),
      servers: servers ?? rules.servers,
    };
    const refuse = (refusal: string) =>
      problems.push(problemOf(source, "ConfigReadError", invalidSource({ file }, refusal)));
    if (leadsOut(candidate.path)) {
      refuse(OUTSIDE);
      continue;
    }
    const found = text === undefined ? readOnce.read(file, candidate.file) : { text };
    if (scope === "project" && readOnce.slices.isOver()) await readOnce.slices.next();
    if (found === undefined) continue;
    if (!("text" in found)) {
      const isExpected = found.absence !== undefined && !isNamed;
      if (!isExpected) problems.push(problemOf(source, found.kind, found.error));
      else if (found.absence === "dangling") reportDangling(file, report);
      continue;
    }
    const reading: HostText = { ...source, text: found.text };
    if ("stats" in found) {
      const refusal = refusalOf({ ...candidate.path, scope }, found, at);
      Object.assign(reading, { realFile: found.realFile });
      if (refusal !== undefined) refuse(refusal);
      if (refusal !== undefined || loaded.some(isSameReading, reading)) continue;
      loaded.push(reading);
    }
    const { document, problem } = await parseHostText(reading, report, readOnce.maxFileBytes);
    if (document) documents.push(document);
    if (problem) problems.push(problem);
  }
  return { documents, problems };
}

/**
 * Whether another path of the host has led to the same file with the same sections for servers. Extensions also differ by their
 * folders; a project's file belongs to the nearest folder. Files with only rules about servers never count as the same, because
 * their rules depend on their kind.
 */
function isSameReading(this: HostText, { file, realFile = file, scope, root, servers }: HostText): boolean {
  if (servers === "none" || servers !== this.servers || scope !== this.scope) return false;
  return realFile === (this.realFile ?? this.file) && (scope !== "extension" || root === this.root);
}

function followedCandidates(
  documents: readonly ParsedHostText[],
  dialect: HostDialect,
  at: HostSurroundings,
): readonly Candidate[] {
  return documents.flatMap(({ kind, content, root, extension, dialect: rules }) => {
    const file = (rules === dialect ? dialect : rules).files.find((known) => known.kind === kind);
    const followed: readonly FollowedFile[] = file?.leadsTo?.(content, at, root) ?? [];
    return followed.map(({ host, kind: ownKind, scope, ...path }) => ({
      path: { extension, ...path },
      file: { kind: ownKind, scope, writtenFor: host },
    }));
  });
}

/** Reports a program in place of a file. It is not opened, so its servers are not known. */
export function reportScript(
  file: string,
  script: string,
  report: Report,
  severity?: ConfigDiagnostic["severity"],
): void {
  report(diagnose("script-file", `${file} is not read: ${script}.`, { file }, { severity }));
}

/** Reports a link that leads to nothing, which counts as an absent file. */
export function reportDangling(file: string, report: Report): void {
  const message = `${file} is a broken link; it counts as a missing file.`;
  report(diagnose("missing-file", message, { file }));
}

/** A text in a host's format, and what is known about it before it is parsed. */
export interface HostText {
  readonly text: string;
  /** The path, as it was named. */
  readonly file: string;
  readonly realFile?: string | undefined;
  /** The folder of the project or extension it belongs to. */
  readonly root?: string | undefined;
  /** The name of that extension. */
  readonly extension?: string | undefined;
  readonly kind: string;
  readonly scope: DefinitionScope;
  readonly format: ConfigFormat;
  readonly servers: FindServers | "none";
  /** The dialect in which it is read. */
  readonly dialect: HostDialect;
  /** The host that `definedIn` names; missing for files that the caller named, which belong to none. */
  readonly host?: string | undefined;
}

/** The same, parsed. */
export interface ParsedHostText extends HostText, HostDocument {
  readonly file: string;
  readonly document: ConfigDocument;
}

/** How many repeated or forbidden keys of a file are reported one by one. A file can hold a million of them. */
export const MOST_REPORTED_KEYS = 100;

/**
 * The parsers of these formats take up to a thousand times the size of a text in memory, and no real file comes near it. A higher limit for
 * all files holds for them as well.
 */
const LONGEST_TOML_OR_YAML = 1024 * 1024;

/** Parses a text and remarks on oddities of the file as a whole. A broken file, or one whose root is not an object, is a problem. */
export async function parseHostText(
  source: HostText,
  report: Report,
  maxFileBytes?: number,
): Promise<{ document?: ParsedHostText; problem?: ConfigProblem }> {
  const { text, file, format } = source;
  const most = Math.max(maxFileBytes ?? 0, LONGEST_TOML_OR_YAML);
  if (!isJson(format) && text.length > most) {
    const fault = `the file is larger than ${most} characters; split it, or raise option "maxFileBytes".`;
    return { problem: problemOf(source, "ConfigTooLargeError", invalidSource({ file }, fault)) };
  }
  let document: ConfigDocument;
  try {
    document = await parseConfigDocument(text, file, format);
  } catch (cause) {
    const error = toMcpError(cause, "MCP_INTERNAL", `${file} could not be read.`, { phase: "config" });
    return { problem: problemOf(source, "ConfigSyntaxError", explained(error, source)) };
  }
  const { root } = document;
  await reportOddities(source, document, report);
  if (root === undefined) return emptyFile(source, report);
  if (!isRecord(root)) return { problem: await shapeProblem(source, document) };
  return { document: { ...source, document, content: root } };
}

function isJson(format: ConfigFormat): boolean {
  return format !== "toml" && format !== "yaml";
}

async function reportOddities(
  { file, dialect }: HostText,
  document: ConfigDocument,
  report: Report,
): Promise<void> {
  const { forbidden, looseness } = document;
  if (forbidden.length > 0) {
    const locate = await document.places();
    for (const path of forbidden.slice(0, MOST_REPORTED_KEYS)) {
      const location = locate(path);
      const message = `${describeLocation(location)}: the key "${FORBIDDEN_KEY}" is not allowed; it is left out.`;
      report(diagnose("forbidden-key", message, location));
    }
  }
  const unreported = forbidden.length - MOST_REPORTED_KEYS;
  if (unreported > 0) {
    const message = `${file}: the key "${FORBIDDEN_KEY}" is left out in ${describePlaces(unreported)}.`;
    report(diagnose("forbidden-key", message, { file }));
  }
  if (looseness) {
    const location = { file, ...looseness, pointer: "" };
    const message = `${describeLocation(location)}: ${dialect.title} reads strict JSON and rejects a file with comments or trailing commas.`;
    report(diagnose("non-strict-json", message, location));
  }
}

/** An empty file may be left by a failed write. It is not valid JSON, but it is valid TOML and YAML. */
function emptyFile({ file }: HostText, report: Report) {
  const location = { file, line: 1, column: 1, pointer: "" };
  const message = `${describeLocation(location)}: the file is empty, so it defines no servers.`;
  report(diagnose("empty-file", message, location));
  return {};
}

/** Adds a cause to a fault, if the host knows one. */
function explained(error: McpError, { text, dialect }: HostText): McpError {
  const { line = 0, column = 0 } = error.location ?? {};
  const rest = text.split("\n")[line - 1]?.slice(Math.max(column - 2, 0)) ?? "";
  const explanation = dialect.causeOfFault?.(rest);
  if (explanation === undefined) return error;
  const { code, message, phase, location } = error;
  return new McpError(code, `${message} ${explanation}`, { phase, location });
}

/** A problem of a file as a whole. */
export function problemOf(
  { file, scope, host }: Pick<HostText, "file" | "scope" | "host">,
  kind: DiagnosticCode,
  error: McpError,
): ConfigProblem {
  return { definedIn: { scope, file, ...(host === undefined ? {} : { host }) }, error, kind };
}

async function shapeProblem(source: HostText, document: ConfigDocument): Promise<ConfigProblem> {
  const { servers } = source;
  const [section] = servers === "none" ? [] : servers({}, { platform: process.platform }, source.file);
  const key = String(section?.path[0] ?? "mcpServers");
  const instead =
    servers === "none" ? "" : `; write { ${quote(key)}: ${section?.optionOf ? "[ … ]" : "{ … }"} }`;
  const text = `the file must hold an object, not ${kindOf(document.root)}${instead}.`;
  return problemOf(source, "ConfigShapeError", invalidSource((await document.places())([]), text));
}
