import { resolve } from "node:path";
import type { DefinedIn } from "@jackfield/mcp-core";
import type { ServerSource } from "../entry/entry.ts";
import type { FindingContext, HostDialect, HostSurroundings } from "../hosts/host-dialect.ts";
import { dialectOf, HOST_DIALECTS, unknownHost } from "../hosts/host-dialects.ts";
import { projectFolders } from "../hosts/host-paths.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import { kindOf } from "../read/json-value.ts";
import { type ConfigDiagnostic, type ConfigProblem, invalidSource, limitReport } from "./diagnostics.ts";
import type { DiscoverServersOptions } from "./discover.ts";
import { readConfigFile } from "./file.ts";
import { type FoundHost, parseHostText, problemOf, readHostFiles } from "./host-files.ts";
import { readHostServersSafely } from "./host-servers.ts";
import { createReadOnce } from "./read-once.ts";

// All that is loaded only where there is a file to read, an entry of another host or a remark to make comes by this module, so that the
// build makes one file of it: to find a file takes as long as to compile thirty kilobytes.
export { dialectOf, HOST_DIALECTS, variablesOf } from "../hosts/host-dialects.ts";
export { remarksOn } from "../lint/remarks.ts";
export { changedServers } from "../write/change-servers.ts";
export { parseSingleFile, placesInFile } from "./single-host-file.ts";

/**
 * Reads the files of the named hosts; one source for each host. This module is loaded on demand: it knows every host, and many programs
 * have no file of any.
 *
 * @param hosts - the strongest first, or `all`; it may come from untyped code
 * @param named - files that the caller has named
 */
export async function readHosts(
  hosts: unknown,
  at: HostSurroundings,
  { project, ...reading }: Pick<DiscoverServersOptions, "maxFileBytes" | "remarks" | "project">,
  named: readonly string[],
): Promise<readonly ServerSource[]> {
  const diagnostics: ConfigDiagnostic[] = [];
  const { report, reportRest } = limitReport((diagnostic) => diagnostics.push(diagnostic));
  const { dialects, problems } = namedDialects(hosts);
  const ofHosts = () =>
    new Set([
      ...named,
      ...dialects.flatMap(({ files }) => files.flatMap(({ paths }) => paths(at).map(({ file }) => file))),
    ]);
  const readOnce = createReadOnce(report, {
    maxFileBytes: reading.maxFileBytes,
    ofHosts: reading.remarks === true ? ofHosts() : undefined,
  });
  const context: FindingContext = {
    at,
    folders: projectFolders(at),
    platform: at.platform,
    remarks: reading.remarks,
    ignoresProject: project === false,
    entriesOfProject: readOnce.allowance.entries,
  };
  // One after the other, because what a project may bring is counted in this order.
  const found: FoundHost[] = [];
  for (const dialect of dialects) found.push(await readHostFiles(dialect, at, readOnce, report));
  const sources: ServerSource[] = [];
  for (const host of found) {
    if (readOnce.slices.isOver()) await readOnce.slices.next();
    const { entries, problems: faults } = await readHostServersSafely(host, context, report);
    sources.push({ entries, problems: [...host.problems, ...faults], diagnostics: [] });
  }
  const tooMuch = readOnce.allowance.problem(at.projectTop);
  if (tooMuch) problems.push(tooMuch);
  reportRest();
  return [...sources, { entries: [], problems, diagnostics }];
}

function namedDialects(hosts: unknown) {
  const problems: ConfigProblem[] = [];
  if (hosts === "all") return { dialects: HOST_DIALECTS, problems };
  const definedIn: DefinedIn = { scope: "explicit", pointer: "/hosts" };
  const refuse = (text: string) =>
    problems.push({ definedIn, error: invalidSource(definedIn, text), kind: "ConfigShapeError" });
  if (!Array.isArray(hosts)) {
    refuse(`it must be a list of hosts or "all", not ${kindOf(hosts)}.`);
    return { dialects: [], problems };
  }
  const dialects = new Set<HostDialect>();
  for (const host of hosts as readonly unknown[]) {
    const dialect = typeof host === "string" ? dialectOf(host) : undefined;
    if (dialect) dialects.add(dialect);
    else if (typeof host === "string") refuse(unknownHost(host));
    else refuse(`it must hold names of hosts, not ${kindOf(host)}.`);
  }
  return { dialects: [...dialects], problems };
}

/**
 * Reads files that were named by the caller, in Jackfield's own form. A file that is missing is a problem.
 *
 * @param files - their paths; it may come from untyped code
 */
export async function readNamedFiles(
  files: unknown,
  folder: string,
  options: Pick<DiscoverServersOptions, "maxFileBytes" | "remarks">,
): Promise<readonly ServerSource[]> {
  if (!Array.isArray(files))
    return [unusable("/files", `it must be an array of paths, not ${kindOf(files)}.`)];
  /** The paths that were named, and the files that they lead to: each file is read once. */
  const seen = new Set<string>();
  const sources: ServerSource[] = [];
  for (const [index, file] of (files as readonly unknown[]).entries()) {
    if (typeof file !== "string" || file === "") {
      const what = file === "" ? "an empty string" : kindOf(file);
      const text = `it must be the path of a file, not ${what}; the other files are read.`;
      sources.push(unusable(`/files/${index}`, text));
      continue;
    }
    const path = resolve(folder, file);
    if (seen.has(path)) continue;
    seen.add(path);
    sources.push(await readNamedFile(path, seen, options));
  }
  return sources;
}

function unusable(pointer: string, text: string): ServerSource {
  const definedIn: DefinedIn = { scope: "explicit", pointer: "/files" };
  const error = invalidSource({ pointer }, text);
  return { entries: [], problems: [{ definedIn, error, kind: "ConfigShapeError" }], diagnostics: [] };
}

async function readNamedFile(
  file: string,
  seen: Set<string>,
  { maxFileBytes, remarks }: Pick<DiscoverServersOptions, "maxFileBytes" | "remarks">,
): Promise<ServerSource> {
  const diagnostics: ConfigDiagnostic[] = [];
  const { report, reportRest } = limitReport((diagnostic) => diagnostics.push(diagnostic));
  const source = { file, scope: "explicit", kind: "named", format: JACKFIELD.format } as const;
  const found = readConfigFile(file, report, { maxFileBytes });
  if (!("text" in found)) {
    return { file, entries: [], problems: [problemOf(source, found.kind, found.error)], diagnostics };
  }
  const { text, realFile } = found;
  if (realFile !== undefined && seen.has(realFile)) return { entries: [], problems: [], diagnostics: [] };
  if (realFile !== undefined) seen.add(realFile);
  const { document, problem } = await parseHostText(
    { ...source, text, realFile, servers: JACKFIELD.servers, dialect: JACKFIELD },
    report,
    maxFileBytes,
  );
  const host = { dialect: JACKFIELD, documents: document ? [document] : [] };
  const { entries, problems } = await readHostServersSafely(
    host,
    { platform: process.platform, remarks },
    report,
  );
  reportRest();
  return { file, entries, problems: problem ? [problem, ...problems] : problems, diagnostics };
}
