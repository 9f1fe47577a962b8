import { basename, dirname } from "node:path";
import { type DefinitionScope, McpError } from "@jackfield/mcp-core";
import { absolutePath } from "../absolute-path.ts";
import { type ConfigDiagnostic, diagnose, type Report } from "../diagnostic-codes.ts";
import type { FindingContext, HostDialect, HostFile } from "../hosts/host-dialect.ts";
import { dialectOf } from "../hosts/host-dialects.ts";
import { projectFolders } from "../hosts/host-paths.ts";
import { limitReport } from "../limited-report.ts";
import { ownHome } from "../own-home.ts";
import { readConfigFile } from "../sources/config-file.ts";
import { type ConfigProblem, describeProblem } from "../sources/config-problem.ts";
import { type HostText, type ParsedHostText, parseHostText, problemOf } from "../sources/host-document.ts";
import { readHostServersSafely } from "../sources/host-servers.ts";
import { describeOwners, mergeEntries } from "../sources/merged-servers.ts";
import { unknownHost } from "./discovered-hosts.ts";
import { kindOfFile } from "./file-kind.ts";
import { formatOf, reportDangling, reportScript, rulesOf } from "./host-files.ts";
import { joinOptions } from "./launch-options.ts";
import type { ParsedHostFile, ParsedServer, ParseHostFileOptions } from "./parse-host-file.ts";
import { checkParsingOptions } from "./parsing-options.ts";
import { projectAt } from "./project-top.ts";
import { reportUnresolved } from "./unresolved-variables.ts";

/** Implements `parseHostFile`. */
export async function parseSingleFile(options: ParseHostFileOptions): Promise<ParsedHostFile> {
  checkParsingOptions(options);
  const dialect = dialectOf(options.host);
  if (!dialect) throw new McpError("MCP_CONFIG_INVALID", unknownHost(options.host), { phase: "config" });
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
  const host = { dialect, documents, isExclusive: false, isTrusted: true };
  const source = readHostServersSafely(host, contextOf(options, documents, report), report);
  const single = source.entries.filter(({ option }) => option === undefined);
  const choices = joinOptions(source.entries.filter(({ option }) => option !== undefined));
  const merged = describeOwners(mergeEntries(single));
  const named = merged.servers.flatMap((definition): ParsedServer[] => {
    const { name } = definition;
    const written = merged.written.get(name);
    return written ? [{ name, written, definition }] : [];
  });
  const servers: readonly ParsedServer[] = [...named, ...choices.servers];
  const { env, platform = process.platform, cwd = dirname(options.file) } = options;
  if (env) reportUnresolved(servers, source.entries, { env, platform, cwd }, report);
  reportRest();
  const lost = [...problems, ...source.problems, ...merged.problems, ...choices.problems].map(
    describeProblem,
  );
  return { servers, diagnostics: [...lost, ...diagnostics, ...merged.diagnostics] };
}

async function parseFile(options: ParseHostFileOptions, dialect: HostDialect, report: Report) {
  const { text, largestBytes } = options;
  const file = absolutePath(options.file);
  const known = kindOfFile(file, dialect.files, { env: process.env, home: ownHome() });
  if (known?.script !== undefined) {
    reportScript(file, known.script, report, "error");
    return {};
  }
  if (known?.servers === "none") {
    const message = `${file}: its host reads no servers from this file.`;
    report(diagnose("no-servers", message, { file }, { severity: "warning" }));
    return {};
  }
  const source = sourceOf(file, dialect, known);
  // Files are read without their byte order mark, so the given text loses its own.
  if (text !== undefined) return parseHostText({ ...source, text: text.replace(/^\ufeff/, "") }, report);
  const found = readConfigFile(file, report, largestBytes);
  if ("text" in found)
    return parseHostText({ ...source, text: found.text, realFile: found.realFile }, report);
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
    servers: rules.servers,
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
  { cwd, env, platform = process.platform }: ParseHostFileOptions,
  documents: readonly ParsedHostText[],
  report: Report,
): FindingContext {
  return {
    folders: cwd === undefined ? [] : projectFolders({ ...projectAt(cwd, platform), platform }),
    isStandaloneFile: true,
    platform,
    env,
    remark: (code, path, text) => {
      const location = documents[0]?.document.locate(path) ?? {};
      report(diagnose(code, text, location));
    },
  };
}
