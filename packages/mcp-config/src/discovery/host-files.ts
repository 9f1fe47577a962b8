import { createTimeSlices, type McpError, type TimeSlices } from "@jackfield/mcp-core";
import { fileSystem, isSomebodyElses } from "@jackfield/mcp-core/node";
import { type ConfigDiagnostic, diagnose, type Report } from "../diagnostic-codes.ts";
import type {
  FollowedFile,
  HostDialect,
  HostFile,
  HostPath,
  HostSurroundings,
} from "../hosts/host-dialect.ts";
import { dialectOf } from "../hosts/host-dialects.ts";
import { pathRules } from "../hosts/host-paths.ts";
import { isInside } from "../project-boundary.ts";
import { type ConfigFile, readConfigFile } from "../sources/config-file.ts";
import { type ConfigProblem, invalidSource } from "../sources/config-problem.ts";
import {
  brokenDocument,
  type HostText,
  type ParsedHostText,
  parseHostText,
  problemOf,
} from "../sources/host-document.ts";
import type { HostDocuments } from "../sources/host-servers.ts";
import { readPattern } from "./path-pattern.ts";
import { createProjectAllowance, MOST_NAMES_OF_PROJECT, type ProjectAllowance } from "./project-allowance.ts";

const { existsSync, opendirSync, readdirSync, realpathSync, statSync } = fileSystem;

/** More files than any real folder has. */
const MOST_MATCHES = 1000;

/** How far files are followed: a list of plugins leads to a plugin, and that to its files. */
const DEEPEST_LEAD = 2;

/** Reads each file once, however many hosts ask for it. */
export interface ReadOnce {
  /** `undefined` for a file of a project that has brought too much already. */
  read(file: string, scope: HostFile["scope"]): ConfigFile | undefined;
  readonly allowance: ProjectAllowance;
  /** Between the files of a project, other work of the process runs. */
  readonly slices: TimeSlices;
}

/** Makes a reader that remembers what it has read. */
export function createReadOnce(report: Report): ReadOnce {
  const known = new Map<string, ConfigFile | undefined>();
  const allowance = createProjectAllowance();
  const readOfProject = (file: string): ConfigFile | undefined => {
    const found = readConfigFile(file, report, allowance.bytesLeft());
    const isRead = "text" in found;
    if (isRead ? allowance.take(found.text, found.stats.size) : found.kind !== "ConfigTooLargeError")
      return found;
    allowance.leaveOut(file);
    return undefined;
  };
  return {
    allowance,
    slices: createTimeSlices(),
    read(file, scope) {
      if (known.has(file)) return known.get(file);
      const reading = scope === "project" ? readOfProject(file) : readConfigFile(file, report);
      known.set(file, reading);
      return reading;
    },
  };
}

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
  const candidates = findCandidates(dialect, at, readOnce.allowance);
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
    isExclusive: first.isExclusive,
    isTrusted: false,
  };
}

/** A file that is read as several kinds reports a fault only once. */
function isSame(one: McpError, other: McpError): boolean {
  return one.message === other.message && one.location?.file === other.location?.file;
}

interface Candidate {
  readonly path: HostPath & Pick<FollowedFile, "isNamed">;
  readonly file: Pick<HostFile, "kind" | "scope" | "format" | "servers" | "script" | "writtenFor">;
}

function findCandidates(
  dialect: HostDialect,
  at: HostSurroundings,
  allowance: ProjectAllowance,
): readonly Candidate[] {
  const listed: Candidate[] = [];
  const own = new Set<string>();
  for (const file of dialect.files) {
    for (const path of file.paths(at)) {
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
  const isPassedOver = (name: string) => path.matchesFolders === false && isFolder(pattern.fileOf(name));
  const names = list(pattern.folder)
    .filter((name) => pattern.matches(name) && !isPassedOver(name))
    .sort();
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

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
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
  let isExclusive = false;
  for (const candidate of candidates) {
    const { script } = candidate.file;
    if (script !== undefined) {
      if (existsSync(candidate.path.file)) reportScript(candidate.path.file, script, report);
      continue;
    }
    if (leadsOut(candidate)) {
      problems.push(refusalProblem(candidate, OUTSIDE, dialect));
      continue;
    }
    const { file, text, isNamed } = candidate.path;
    const found = text === undefined ? readOnce.read(file, candidate.file.scope) : { text };
    if (candidate.file.scope === "project" && readOnce.slices.isOver()) await readOnce.slices.next();
    if (found && "absence" in found && found.absence !== undefined && !isNamed) {
      if (found.absence === "dangling") reportDangling(candidate.path.file, report);
      continue;
    }
    const hasServers = candidate.file.servers !== "none";
    if (hasServers && candidate.file.scope === dialect.exclusiveScope) isExclusive = true;
    const { document, problem } = await parseCandidate(candidate, found, loaded, dialect, at, report);
    if (document) documents.push(document);
    if (problem) problems.push(problem);
  }
  return { documents, problems, isExclusive };
}

async function parseCandidate(
  candidate: Candidate,
  found: ConfigFile | { readonly text: string } | undefined,
  loaded: HostText[],
  dialect: HostDialect,
  at: HostSurroundings,
  report: Report,
): ReturnType<typeof parseHostText> {
  const { path, file } = candidate;
  const rules = rulesOf(file, dialect);
  const source: Omit<HostText, "text"> = {
    file: path.file,
    root: path.root,
    kind: file.kind,
    scope: file.scope,
    format: file.format ?? formatOf(path.file, rules),
    servers: file.servers ?? rules.servers,
    dialect: rules,
    host: rules.id,
  };
  const unusable = (problem: ConfigProblem) => ({ problem, ...brokenDocument(source) });
  if (found === undefined) return brokenDocument(source);
  if (!("text" in found)) return unusable(problemOf(source, found.kind, found.error));
  if (!("stats" in found)) return parseHostText({ ...source, text: found.text }, report);
  const refusal = refusalOf(candidate, found, at);
  if (refusal !== undefined) return unusable(refusalProblem(candidate, refusal, dialect));
  const reading: HostText = { ...source, text: found.text, realFile: found.realFile };
  if (loaded.some(isSameReading, reading)) return {};
  loaded.push(reading);
  return parseHostText(reading, report);
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

function refusalProblem({ path, file }: Candidate, refusal: string, dialect: HostDialect): ConfigProblem {
  const source = { file: path.file, scope: file.scope, host: rulesOf(file, dialect).id };
  return problemOf(source, "ConfigReadError", invalidSource({ file: path.file }, refusal));
}

/** The dialect in which a host's file is read. */
export function rulesOf({ writtenFor }: Pick<HostFile, "writtenFor">, dialect: HostDialect): HostDialect {
  return (writtenFor === undefined ? undefined : dialectOf(writtenFor)) ?? dialect;
}

/** The format by a file's extension, else the host's. JSON in a host of another format may have comments. */
export function formatOf(file: string, { format }: HostDialect): HostText["format"] {
  const ending = file.slice(file.lastIndexOf(".") + 1).toLowerCase();
  if (ending === "yaml" || ending === "yml") return "yaml";
  if (ending === "toml") return "toml";
  const isJson = ending === "json" || ending === "jsonc";
  return isJson && (format === "toml" || format === "yaml") ? "jsonc" : format;
}

/** Why a readable file must not be trusted. */
function refusalOf(
  candidate: Candidate,
  { realFile, stats }: Extract<ConfigFile, { text: string }>,
  { projectTop }: HostSurroundings,
): string | undefined {
  if (leadsOut(candidate, realFile)) return OUTSIDE;
  if (candidate.file.scope === "project") {
    // A repository can bring a harmless-looking link that leads elsewhere (threat T08).
    const isEscape = realFile !== undefined && !isInside(realFile, realpathSync.native(projectTop));
    return isEscape
      ? "it is a link to a file outside the project; put the file itself into the project."
      : undefined;
  }
  // Another user who can write the file could have servers started in this user's name (threat T09). A group may write it, because
  // it is often the user's own.
  if (process.platform === "win32") return undefined;
  if (stats.uid !== 0 && isSomebodyElses(stats))
    return "it belongs to another user; make yourself its owner.";
  return (stats.mode & 0o002) !== 0 ? "every user can write to it; run chmod o-w on it." : undefined;
}

const OUTSIDE = "it is outside the extension that names it; put the file into the extension's folder.";

/** An extension could otherwise present somebody else's file as its own. */
function leadsOut({ path: { file, root, isNamed } }: Candidate, realFile?: string): boolean {
  if (!isNamed || root === undefined) return false;
  return realFile === undefined ? !isInside(file, root) : !isInside(realFile, realpathSync.native(root));
}

function followedCandidates(
  documents: readonly ParsedHostText[],
  dialect: HostDialect,
  at: HostSurroundings,
): readonly Candidate[] {
  return documents.flatMap(({ kind, content, root, dialect: rules }) => {
    const file = (rules === dialect ? dialect : rules).files.find((known) => known.kind === kind);
    const followed: readonly FollowedFile[] = file?.leadsTo?.(content, at, root) ?? [];
    return followed.map(({ host, kind: ownKind, scope, ...path }) => ({
      path,
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
