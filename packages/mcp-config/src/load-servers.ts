import { resolve } from "node:path";
import type { DefinedIn, Diagnostic, ServerDefinition } from "@jackfield/mcp-core";
import { type ConfigProblem, describeLocation, invalidSource, locationOf } from "./config-problem.ts";
import { type InlineServer, readInlineServers } from "./inline-servers.ts";
import { kindOf } from "./json-value.ts";
import { readServerFile } from "./server-file.ts";
import { quote } from "./server-name.ts";
import type { ServerSource, SourceEntry } from "./server-source.ts";

/** What to load. */
export interface LoadServersOptions {
  /** Files in the `mcpServers` form, the strongest first. Relative paths are relative to `cwd`. Default none. */
  readonly files?: readonly string[] | undefined;
  /** Servers given in code, by name; they beat the files. Default none. */
  readonly servers?: { readonly [name: string]: InlineServer } | undefined;
  /** What relative paths in these options are relative to. Default the working directory of the process. */
  readonly cwd?: string | undefined;
}

/** What was found. A name occurs at most once in `servers` and `problems` together. */
export interface LoadedServers {
  /** Ready to be resolved, those that are switched off (`enabled: false`) included; inline ones first. */
  readonly servers: readonly ServerDefinition[];
  /** Entries, files and options that could not be used, each with its error. */
  readonly problems: readonly ConfigProblem[];
  /** What is worth telling a person about and stopped nothing by itself. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads server definitions from files and from code. Nothing is executed and no variable is expanded.
 *
 * It does not reject: a file that is missing (`MCP_CONFIG_NOT_FOUND`) or broken, and an entry that is invalid
 * (`MCP_CONFIG_INVALID`), are `problems`, so that they never hide what is good. Where a name is written more than once the
 * strongest entry owns it as a whole, even if it is invalid: falling back to another server of that name would reach
 * something that nobody asked for. The others are reported with the diagnostic `shadowed`.
 */
export async function loadServers(options: LoadServersOptions = {}): Promise<LoadedServers> {
  const cwd = resolve(options.cwd ?? ".");
  const inline = readInlineServers(options.servers, cwd);
  return merge([inline, ...(await readFiles(options.files, cwd))]);
}

async function readFiles(files: unknown, cwd: string): Promise<readonly ServerSource[]> {
  if (files === undefined) return [];
  const isListOfPaths =
    Array.isArray(files) && files.every((file) => typeof file === "string" && file !== "");
  if (!isListOfPaths) {
    const definedIn: DefinedIn = { scope: "explicit", pointer: "/files" };
    const text = `it must be an array of paths, not ${Array.isArray(files) ? "one with other values" : kindOf(files)}.`;
    return [{ entries: [], problem: { definedIn, error: invalidSource(definedIn, text) }, diagnostics: [] }];
  }
  const paths = new Set(files.map((file: string) => resolve(cwd, file)));
  return Promise.all(Array.from(paths, readServerFile));
}

function merge(sources: readonly ServerSource[]): LoadedServers {
  const owners = new Map<string, SourceEntry>();
  const problems: ConfigProblem[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { entries, problem, diagnostics: found } of sources) {
    if (problem) problems.push(problem);
    for (const diagnostic of found) diagnostics.push(diagnostic);
    for (const entry of entries) {
      const owner = owners.get(entry.name);
      if (owner) diagnostics.push(describeShadowed(entry, owner));
      else owners.set(entry.name, entry);
    }
  }
  const servers: ServerDefinition[] = [];
  for (const { name, definedIn, outcome } of owners.values()) {
    if ("definition" in outcome) servers.push(outcome.definition);
    else problems.push({ server: name, definedIn, error: outcome.error });
  }
  return { servers, problems, diagnostics };
}

function describeShadowed({ name, definedIn }: SourceEntry, owner: SourceEntry): Diagnostic {
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}) is shadowed by the entry of the same name in ${describeLocation(owner.definedIn)}.`;
  return { code: "shadowed", severity: "info", message, server: name, ...locationOf(definedIn) };
}
