import { basename, dirname, parse, relative, resolve, sep } from "node:path";
import {
  checkOption,
  checkOptions,
  type DefinitionScope,
  invalidOption,
  type OptionKind,
  optionKinds,
  optionNumber,
} from "@jackfield/mcp-core";
import type { SourceEntry } from "../entry/entry.ts";
import {
  type FindingContext,
  filesAndMisplaced,
  type HostDialect,
  type HostFile,
  type HostPath,
  type HostSurroundings,
} from "../hosts/host-dialect.ts";
import { dialectOf, formatOf, rulesOf, unknownHost } from "../hosts/host-dialects.ts";
import { projectFolders, readPattern } from "../hosts/host-paths.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import { parseConfigDocument } from "../read/document.ts";
import { type JsonPath, pointerPath } from "../read/json-value.ts";
import type { Places } from "../read/places.ts";
import { reportUnresolved } from "./asked-variables.ts";
import {
  type ConfigDiagnostic,
  type ConfigProblem,
  describeProblem,
  diagnose,
  limitReport,
  type Report,
} from "./diagnostics.ts";
import { readConfigFile } from "./file.ts";
import {
  type HostText,
  type ParsedHostText,
  parseHostText,
  problemOf,
  reportDangling,
  reportScript,
} from "./host-files.ts";
import { readHostServersSafely } from "./host-servers.ts";
import { mergeSources } from "./merge.ts";
import type { LaunchOption, ParsedHostFile, ParsedServer, ParseHostFileOptions } from "./parse-host-file.ts";
import { absolutePath, ownHome, projectAt } from "./surroundings.ts";

/** Implements `parseHostFile`. */
export async function parseSingleFile(options: ParseHostFileOptions): Promise<ParsedHostFile> {
  checkOptions(options, OPTIONS, { of: "of parseHostFile" });
  for (const required of ["host", "file"] as const)
    checkOption(required, options[required], OPTIONS[required]);
  const dialect = dialectOf(options.host);
  if (!dialect) throw invalidOption(unknownHost(options.host));
  const diagnostics: ConfigDiagnostic[] = [];
  const { report, reportRest } = limitReport((diagnostic) => diagnostics.push(diagnostic));
  const documents: ParsedHostText[] = [];
  const problems: ConfigProblem[] = [];
  for (const [index, file] of [options.file, ...(options.beneath ?? [])].entries()) {
    const text = index === 0 ? options.text : undefined;
    const { document, problem } = await parseFile({ ...options, file, text }, dialect, report);
    if (document) documents.push(document);
    if (problem) problems.push(problem);
  }
  const host = { dialect, documents };
  /** Which project's servers were chosen; entries may be read twice. */
  const chosen = new Map<string, JsonPath>();
  const source = await readHostServersSafely(host, contextOf(options, chosen), report);
  for (const [text, path] of chosen) {
    const place = await documents[0]?.document.places();
    report(diagnose("project-chosen", text, place?.(path) ?? {}));
  }
  const single = source.entries.filter(({ option }) => option === undefined);
  const choices = joinOptions(source.entries.filter(({ option }) => option !== undefined));
  const merged = await mergeSources([single], [], {
    async locate(place) {
      const source = documents.find(({ file }) => file === place.file);
      return (await source?.document.places())?.(pointerPath(place.pointer ?? "")) ?? place;
    },
  });
  const named = merged.servers.flatMap((definition): ParsedServer[] => {
    const { name } = definition;
    const written = merged.written.get(name);
    return written ? [{ name, written, definition }] : [];
  });
  const servers: readonly ParsedServer[] = [...named, ...choices.servers];
  await Promise.all(documents.map(({ document }) => document.places()));
  const { env, platform = process.platform, cwd = dirname(options.file) } = options;
  if (env) reportUnresolved(servers, source.entries, { env, platform, cwd }, report);
  reportRest();
  const lost = [...problems, ...source.problems, ...merged.problems, ...choices.problems].map(
    describeProblem,
  );
  return { servers, diagnostics: [...lost, ...diagnostics, ...merged.diagnostics] };
}

async function parseFile(options: ParseHostFileOptions, dialect: HostDialect, report: Report) {
  const { text, maxFileBytes } = options;
  const file = absolutePath(options.file);
  const known = kindOfFile(file, filesAndMisplaced(dialect), { env: process.env, home: ownHome() });
  if (known?.script !== undefined) {
    reportScript(file, known.script, report, "error");
    return {};
  }
  if (known?.servers === "none") {
    const message = `${file}: its host reads no servers from this file.`;
    report(diagnose("no-servers", message, { file }, { severity: "warning" }));
  }
  const source = sourceOf(file, dialect, known);
  // Files are read without their byte order mark, so the given text loses its own.
  if (text !== undefined)
    return parseHostText({ ...source, text: text.replace(/^\ufeff/, "") }, report, maxFileBytes);
  const found = readConfigFile(file, report, { maxFileBytes, parts: known?.parts });
  if ("text" in found)
    return parseHostText({ ...source, text: found.text, realFile: found.realFile }, report, maxFileBytes);
  if (found.absence !== "dangling") return { problem: problemOf(source, found.kind, found.error) };
  reportDangling(file, report);
  return {};
}

/** How a file by itself is read: as the host's kind of file in that place, else as the user's own. */
function sourceOf(file: string, dialect: HostDialect, known: HostFile | undefined): Omit<HostText, "text"> {
  const scope: DefinitionScope = known?.scope ?? dialect.scope ?? "user";
  const rules = known ? rulesOf(known, dialect) : dialect;
  return {
    file,
    ...(scope === "extension" ? { root: known ? dirname(file) : pluginOf(file) } : {}),
    kind: known?.kind ?? "user",
    scope,
    format: known?.format ?? formatOf(file, rules),
    servers: known?.servers === "none" ? "none" : rules.servers,
    dialect: rules,
    host: rules.id,
  };
}

/** The folder of the plugin that a file belongs to. Its manifest may be in a subfolder, such as `.claude-plugin`. */
function pluginOf(file: string): string {
  const folder = dirname(file);
  return basename(folder).startsWith(".") ? dirname(folder) : folder;
}

function contextOf(
  { cwd, platform = process.platform }: ParseHostFileOptions,
  chosen: Map<string, JsonPath>,
): FindingContext {
  return {
    folders: cwd === undefined ? [] : projectFolders({ ...projectAt(cwd, platform), platform }),
    isStandaloneFile: true,
    remarks: true,
    platform,
    remark: (path, text) => void chosen.set(text, path),
  };
}

const { name, text, record } = optionKinds;

const OPTIONS = {
  host: text,
  file: name,
  text,
  beneath: optionKinds.texts,
  cwd: text,
  env: record,
  maxFileBytes: optionNumber(0),
  platform: text,
} satisfies { readonly [option in keyof ParseHostFileOptions]-?: OptionKind };

/** Joins the entries that are ways to reach one server. An entry that cannot be used is a problem instead. */
function joinOptions(entries: readonly SourceEntry[]) {
  const servers = new Map<string, LaunchOption[]>();
  const distinct = createDistinctIds();
  const problems: ConfigProblem[] = [];
  for (const { name, definedIn, option: id = "", outcome } of entries) {
    if ("error" in outcome) {
      problems.push({ server: name, definedIn, error: outcome.error, kind: "ServerConfigError" });
    } else if (outcome.written) {
      const options = servers.get(name) ?? [];
      const { written, definition } = outcome;
      options.push({ id: distinct(name, id), written, definition });
      servers.set(name, options);
    }
  }
  const joined = Array.from(servers, ([name, options]): ParsedServer => {
    const [{ written, definition }] = options as [LaunchOption];
    return { name, written, definition, options };
  });
  return { servers: joined, problems };
}

/**
 * Two ways may start the same package, in different programs: the second one's id ends with `#2`. A file may have very many of them,
 * so the number goes on from the last one.
 */
function createDistinctIds(): (server: string, id: string) => string {
  const numbers = new Map<string, number>();
  return (server, id) => {
    const key = JSON.stringify([server, id]);
    const number = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, number);
    return number === 1 ? id : `${id}#${number}`;
  };
}

/** The files that are being read: those who ask for several entries of a file at once share one reading. */
const readings = new Map<string, Promise<Places | undefined>>();

/** The places in a file of a host, or in one in Jackfield's own form; `undefined` if it cannot be read. */
export function placesInFile(file: string, host: string = JACKFIELD.id): Promise<Places | undefined> {
  const key = JSON.stringify([file, host]);
  let reading = readings.get(key);
  if (reading === undefined) {
    reading = readPlaces(file, host).finally(() => readings.delete(key));
    readings.set(key, reading);
  }
  return reading;
}

async function readPlaces(file: string, host: string): Promise<Places | undefined> {
  const dialect = dialectOf(host);
  if (dialect === undefined) return undefined;
  const kind = kindOfFile(file, dialect.files, { env: process.env, home: ownHome() });
  // The file was read before, by whatever limit.
  const limits =
    kind?.parts === undefined ? { maxFileBytes: Number.POSITIVE_INFINITY } : { parts: kind.parts };
  const found = readConfigFile(file, () => {}, limits);
  if (!("text" in found)) return undefined;
  try {
    const document = await parseConfigDocument(found.text, file, kind?.format ?? formatOf(file, dialect));
    return await document.places();
  } catch {
    return undefined;
  }
}

/**
 * Which of a host's files a file is, by its path; `undefined` if the host does not look for one there. A file in the home directory
 * is the user's own, even if a project's has the same name; any folder above another file may be a project's. An extension's manifest
 * is known by its name wherever it is, because extensions are developed in places of their own. The platform is always this one, because the
 * files that are read have its paths.
 */
export function kindOfFile(
  file: string,
  files: readonly HostFile[],
  { env, home }: Pick<HostSurroundings, "env" | "home">,
): HostFile | undefined {
  const placesAt = (cwd: string) => ({ platform: process.platform, env, home, cwd, projectTop: cwd });
  const isAt = (cwd: string) => {
    const at = placesAt(cwd);
    // A name alone does not tell that a file is misplaced: whoever names it wants it read.
    const isTelling = ({ file: place }: HostPath) => dirname(place) !== cwd;
    return ({ kind, paths }: HostFile) =>
      paths(at).some((path) => (kind !== "misplaced" || isTelling(path)) && isFileOf(path, file, at));
  };
  const own = files.filter(({ scope }) => scope !== "project").filter(isAt(home));
  if (own.length > 0) return mostTelling(own);
  const ofProjects = files.filter(({ scope }) => scope === "project");
  for (const folder of foldersAbove(file)) {
    const found = ofProjects.filter(isAt(folder));
    if (found.length > 0) return mostTelling(found);
  }
  const at = placesAt(home);
  return files.find(
    ({ scope, paths }) => scope === "extension" && paths(at).some((path) => isManifestOf(path, file, at)),
  );
}

/** Picks one kind of a file that is read as several: one with servers before one with lists, and the user's before a project's. */
function mostTelling(kinds: readonly HostFile[]): HostFile | undefined {
  const ofServers = kinds.filter(({ servers }) => servers !== "none");
  return ofServers.find(({ scope }) => scope === "user") ?? ofServers[0] ?? kinds[0];
}

function isFileOf(path: HostPath, file: string, at: HostSurroundings): boolean {
  if (!path.isPattern) return resolve(path.file) === file;
  const { folder, matches, fileOf } = readPattern(path, at);
  const [name = ""] = relative(folder, file).split(sep);
  return matches(name) && fileOf(name) === file;
}

/** Whether a host looks for a file of this name in the folder of each extension. */
function isManifestOf(path: HostPath, file: string, at: HostSurroundings): boolean {
  return (
    path.isPattern === true && readPattern(path, at).areFolders && basename(path.file) === basename(file)
  );
}

function foldersAbove(file: string): readonly string[] {
  const { root } = parse(file);
  const folders: string[] = [];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === root) return folders;
  }
}
