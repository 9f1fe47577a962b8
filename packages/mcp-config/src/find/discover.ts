import {
  checkOptions,
  type DefinitionScope,
  type McpError,
  type OptionKind,
  optionKinds,
  optionNumber,
  toMcpError,
} from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import type { ServerSource } from "../entry/entry.ts";
import { filesAndMisplaced, type HostSurroundings } from "../hosts/host-dialect.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import type { Environment } from "../resolve/safe-environment.ts";
import type { ConfigDiagnostic, ConfigProblem } from "./diagnostics.ts";
import { type InlineServer, readInlineServers } from "./inline-servers.ts";
import { locate } from "./locate.ts";
import { type MergedServers, mergeSources, readScopeOrder } from "./merge.ts";
import type { AdmitServer } from "./server-admission.ts";
import { absolutePath, surroundingsOf } from "./surroundings.ts";

/** What to look for, and where. */
export interface DiscoverServersOptions {
  /** Hosts whose files are read, the strongest first within a scope; `all` is every one. Default `["jackfield"]`. */
  readonly hosts?: readonly string[] | "all" | undefined;
  /** Files in the `mcpServers` form, the strongest first. Default none. */
  readonly files?: readonly string[] | undefined;
  /** Servers given in code, by name; they beat everything. Default none. */
  readonly servers?: { readonly [name: string]: InlineServer } | undefined;
  /** The folder of the project; files are looked for from here up to its repository's root. Default the working directory. */
  readonly cwd?: string | undefined;
  /** What relative paths in `files` and `servers` are relative to. Default `cwd`. */
  readonly base?: string | undefined;
  /** Default the current user's home. */
  readonly home?: string | undefined;
  /** Where variables that relocate hosts' files are looked up. Default `process.env`. */
  readonly env?: Environment | undefined;
  /**
   * A larger file is not read, in bytes. Of Claude Code's own file, which also holds the history of chats, only the servers are read
   * then. A project's files together are limited to 2 MiB, or to this if it is more. Default 16 MiB; for TOML and YAML 1 MiB.
   */
  readonly maxFileBytes?: number | undefined;
  /** Default the platform this runs on. */
  readonly platform?: NodeJS.Platform | undefined;
  /** `false` ignores entries of projects, so that the user's servers of the same names are used. Default true. */
  readonly project?: boolean | undefined;
  /** The scopes, the strongest first; a missing one comes last. Default: explicit, managed, local, project, user, extension. */
  readonly order?: readonly DefinitionScope[] | undefined;
  /** Whether `diagnostics` has remarks on entries, too, as `parseHostFile` makes them. They take time, so the default is false. */
  readonly remarks?: boolean | undefined;
  /**
   * Decides which entries are admitted before they are merged, see `createServerAdmission`. Default: every entry is, so the result
   * includes entries of projects that nobody has approved.
   */
  readonly admit?: AdmitServer | undefined;
}

/** What was found. A name occurs at most once in `servers` and `problems` together. */
export interface DiscoveredServers extends MergedServers {
  /** Set if looking for hosts' servers failed as a whole, so that only the explicit servers were found. */
  readonly discoveryError?: McpError | undefined;
}

/**
 * Finds the servers of the named hosts, of named files and of code, and merges them once, by name: whole entries, the strongest scope
 * first. `shadowed` has the entries behind a stronger one of the same name. A project's entry that is switched off switches off the
 * user's entry of that name in the same host.
 *
 * Nothing is executed, and no variable is expanded. What is wrong with a file, or with the value of an option, is a problem.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist
 */
export async function discoverServers(options: DiscoverServersOptions = {}): Promise<DiscoveredServers> {
  checkOptions(options, { ...OPTIONS, admit: optionKinds.callable }, { of: "of discoverServers" });
  const { admit, ...others } = options;
  const found = await findServers(others);
  return found.merge(admit);
}

/** Entries that were read, and can be merged again whenever approvals change. */
export interface FoundServers {
  /** Merges what was found, from memory: no file is read again. */
  merge(admit?: AdmitServer): Promise<DiscoveredServers>;
}

const { any, flag, record, text } = optionKinds;

/** Those of any kind are judged where they are read: what is wrong with one is a problem, which leaves the others in use. */
const OPTIONS = {
  hosts: any,
  files: any,
  servers: any,
  order: any,
  cwd: any,
  base: any,
  home: text,
  env: record,
  maxFileBytes: optionNumber(0),
  platform: text,
  project: flag,
  remarks: flag,
} satisfies { readonly [option in keyof Omit<DiscoverServersOptions, "admit">]-?: OptionKind };

/**
 * Reads as `discoverServers` does, and leaves the merging for later.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist
 */
export async function findServers(
  options: Omit<DiscoverServersOptions, "admit"> = {},
): Promise<FoundServers> {
  checkOptions(options, OPTIONS, { of: "of findServers" });
  const { servers, files, project } = options;
  const { scopes, problems: faultsOfOrder } = readScopeOrder(options.order);
  let base = ".";
  let discoveryError: McpError | undefined;
  const explicit: ServerSource[] = [];
  const hosts: ServerSource[] = [];
  try {
    // Fails if the working directory was removed, or an option is no path. The servers in code are there all the same.
    base = absolutePath(options.base ?? options.cwd ?? base);
    if (files !== undefined) explicit.push(...(await (await readers()).readNamedFiles(files, base, options)));
    hosts.push(
      ...(await readHosts(
        options,
        explicit.flatMap(({ file }) => file ?? []),
      )),
    );
  } catch (cause) {
    discoveryError = toMcpError(cause, "MCP_INTERNAL", "Looking for servers failed.", { phase: "config" });
  }
  if (servers !== undefined) explicit.unshift(await readInlineServers(servers, base, options.remarks));
  const own = { entries: explicit.flatMap(({ entries }) => entries) };
  const sources = [own, ...hosts].map(({ entries }) => entries);
  const problems: readonly ConfigProblem[] = [
    ...faultsOfOrder,
    ...[...explicit, ...hosts].flatMap((source) => source.problems),
  ];
  const diagnostics: readonly ConfigDiagnostic[] = [...explicit, ...hosts].flatMap(
    (source) => source.diagnostics,
  );
  return {
    async merge(admit) {
      const merged = await mergeSources(sources, scopes, {
        admit,
        project,
        locate: options.remarks === true ? locate : undefined,
      });
      return {
        ...merged,
        problems: [...problems, ...merged.problems],
        diagnostics: [...diagnostics, ...merged.diagnostics],
        ...(discoveryError ? { discoveryError } : {}),
      };
    },
  };
}

/** What to load. */
export type LoadServersOptions = Pick<
  DiscoverServersOptions,
  "files" | "servers" | "cwd" | "maxFileBytes" | "remarks"
>;

/** What was found. A name occurs at most once in `servers` and `problems` together. */
export type LoadedServers = Pick<DiscoveredServers, "servers" | "problems" | "diagnostics">;

/**
 * Reads server definitions from files and from code, and looks nowhere else. Nothing is executed and no variable is expanded.
 *
 * A file that is missing (`MCP_CONFIG_NOT_FOUND`) or broken, and an entry that is invalid (`MCP_CONFIG_INVALID`), are `problems`, so
 * that they never hide other servers. If a name occurs more than once, the strongest
 * entry owns it as a whole, even if it is invalid: falling back to another server of that name would reach something that nobody
 * asked for. The others are reported with the diagnostic `shadowed`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist
 */
export async function loadServers(options: LoadServersOptions = {}): Promise<LoadedServers> {
  const { servers, problems, diagnostics } = await discoverServers({ ...options, hosts: [] });
  return { servers, problems, diagnostics };
}

/** Loaded only if there is a file to read: a start with servers from code alone should not pay for every host. */
const readers = () => import("./search.ts");

async function readHosts(
  options: DiscoverServersOptions,
  named: readonly string[],
): Promise<readonly ServerSource[]> {
  const hosts: unknown = options.hosts ?? [JACKFIELD.id];
  const areOwn = Array.isArray(hosts) && hosts.every((host) => host === JACKFIELD.id);
  if (areOwn && hosts.length === 0) return [];
  const at = surroundingsOf(options);
  if (areOwn && !hasOwnFiles(at, options.remarks)) return [];
  return (await readers()).readHosts(hosts, at, options, named);
}

/** Whether there is anything where Jackfield's own files may be. */
function hasOwnFiles(at: HostSurroundings, remarks: boolean | undefined): boolean {
  const files = remarks === true ? filesAndMisplaced(JACKFIELD) : JACKFIELD.files;
  return files.some(({ paths }) => paths(at).some(({ file }) => isThere(file)));
}

/** A path that cannot be examined counts as there, so that reading it reports the reason. */
function isThere(file: string): boolean {
  try {
    return fileSystem.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
