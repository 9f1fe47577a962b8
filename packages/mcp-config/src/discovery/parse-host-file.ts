import { dirname, resolve } from "node:path";
import { type DefinitionScope, McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { type ConfigDiagnostic, diagnose, type Report } from "../diagnostic-codes.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { textsOf } from "../entries/written-texts.ts";
import type { FindingContext, HostDialect, HostFile } from "../hosts/host-dialect.ts";
import { dialectOf } from "../hosts/host-dialects.ts";
import type { Environment } from "../safe-environment.ts";
import { quote } from "../server-name.ts";
import { readConfigFile } from "../sources/config-file.ts";
import { type ConfigProblem, describeProblem, locationOf } from "../sources/config-problem.ts";
import { type HostText, type ParsedHostText, parseHostText, problemOf } from "../sources/host-document.ts";
import { readHostServersSafely } from "../sources/host-servers.ts";
import { describeOwners, mergeEntries } from "../sources/merged-servers.ts";
import { references } from "../variables.ts";
import { unknownHost } from "./discover-servers.ts";
import { formatOf, reportDangling } from "./host-files.ts";

/** What to parse. */
export interface ParseHostFileOptions {
  /** In whose dialect, for example `claude-code`. */
  readonly host: string;
  /** The file; with `text`, only its name in messages. A relative path is relative to the working directory. */
  readonly file: string;
  /** What the file holds; then nothing is read. */
  readonly text?: string | undefined;
  /** Weaker layers of the same host, the strongest first, as if the project were trusted. Default none. */
  readonly beneath?: readonly string[] | undefined;
  /** The project whose local servers are meant, where a file holds several projects. Default: the first one in the file. */
  readonly cwd?: string | undefined;
  /** If given, references to variables that it does not have are remarked on. */
  readonly env?: Environment | undefined;
  /** A larger file is not read. Default 16 MiB. */
  readonly largestBytes?: number | undefined;
}

/** A server of a file. */
export interface ParsedServer {
  readonly name: string;
  /** As the file has it, in one shape for all hosts. */
  readonly written: WrittenServer;
  /** Ready to be resolved. */
  readonly definition: ServerDefinition;
}

/** What a file says. */
export interface ParsedHostFile {
  readonly servers: readonly ParsedServer[];
  /** Problems included: an error says that the file, or a server, was lost. */
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/**
 * Reads one file in the dialect of a host. It looks at no other file and executes nothing.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a host that is not known; what is wrong with the file is a diagnostic.
 */
export async function parseHostFile(options: ParseHostFileOptions): Promise<ParsedHostFile> {
  const dialect = dialectOf(options.host);
  if (!dialect) throw new McpError("MCP_CONFIG_INVALID", unknownHost(options.host), { phase: "config" });
  const diagnostics: ConfigDiagnostic[] = [];
  const report: Report = (diagnostic) => diagnostics.push(diagnostic);
  const documents: ParsedHostText[] = [];
  const problems: ConfigProblem[] = [];
  for (const [index, file] of [options.file, ...(options.beneath ?? [])].entries()) {
    const text = index === 0 ? options.text : undefined;
    const { document, problem } = await parseFile({ ...options, file, text }, dialect, report);
    if (document) documents.push(document);
    if (problem) problems.push(problem);
  }
  const host = { dialect, documents, isExclusive: false, isTrusted: true };
  const source = readHostServersSafely(host, contextOf(options, documents, report), report);
  const merged = describeOwners(mergeEntries(source.entries, () => false));
  const servers = merged.servers.flatMap((definition) => {
    const { name } = definition;
    const written = merged.written.get(name);
    return written ? [{ name, written, definition }] : [];
  });
  if (options.env) for (const server of servers) reportUnresolved(server, dialect, options.env, report);
  const lost = [...problems, ...source.problems, ...merged.problems].map(describeProblem);
  return { servers, diagnostics: [...lost, ...diagnostics, ...merged.diagnostics] };
}

async function parseFile(options: ParseHostFileOptions, dialect: HostDialect, report: Report) {
  const { text, largestBytes } = options;
  const file = resolve(options.file);
  const source = sourceOf(file, dialect);
  if (text !== undefined) return parseHostText({ ...source, text }, report);
  const found = readConfigFile(file, report, largestBytes);
  if ("text" in found)
    return parseHostText({ ...source, text: found.text, realFile: found.realFile }, report);
  if (found.absence !== "dangling") return { problem: problemOf(source, found.kind, found.error) };
  reportDangling(file, report);
  return {};
}

/** What a file by itself is taken for: the kind of the host's files that has its name, else that of the user's own. */
function sourceOf(file: string, dialect: HostDialect): Omit<HostText, "text"> {
  const known = dialect.files.find((candidate) => isNamedAs(candidate, file));
  const scope: DefinitionScope = known?.scope ?? "user";
  return {
    file,
    kind: known?.kind ?? "user",
    scope,
    format: known?.format ?? formatOf(file, dialect),
    servers: dialect.servers,
    dialect,
    host: dialect.id,
  };
}

/** Where a host's file would be, seen from the file's own directory. */
function isNamedAs({ paths, servers, scope }: HostFile, file: string): boolean {
  if (servers === "none" || scope !== "project") return false;
  const folder = dirname(file);
  const folders = [folder, dirname(folder)];
  return folders.some((cwd) => {
    const at = { platform: process.platform, env: {}, home: cwd, cwd, projectTop: cwd };
    return paths(at).some((path) => path.file === file);
  });
}

function contextOf(
  { cwd }: ParseHostFileOptions,
  documents: readonly ParsedHostText[],
  report: Report,
): FindingContext {
  return {
    folders: cwd === undefined ? [] : [cwd],
    isSingleFile: true,
    remark: (code, path, text) => {
      const location = documents[0]?.document.locate(path) ?? {};
      report(diagnose(code, text, location));
    },
  };
}

function reportUnresolved(
  { name, written, definition }: ParsedServer,
  dialect: HostDialect,
  env: Environment,
  report: Report,
): void {
  for (const { text, path, isValue } of textsOf(written)) {
    for (const { reference } of references(text, dialect.variables, isValue)) {
      const isUnset = reference.kind === "environment" && !Object.hasOwn(env, reference.name);
      if (!isUnset || reference.defaultText !== undefined || reference.unset !== undefined) continue;
      const message = `Server ${quote(name)}: ${quote(reference.name)} in ${quote(path.join("."))} is not set.`;
      report(diagnose("unresolved-variable", message, locationOf(definition.definedIn), { server: name }));
    }
  }
}
