import { type DefinedIn, type DefinitionScope, type McpError, toMcpError } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { absolutePath } from "../absolute-path.ts";
import {
  type AdmittedEntries,
  admitEntries,
  type SortedServers,
  sortOutBlocked,
} from "../admission/admitted-entries.ts";
import type { AdmitServer } from "../admission/server-admission.ts";
import type { ConfigDiagnostic, Report } from "../diagnostic-codes.ts";
import type { HostSurroundings } from "../hosts/host-dialect.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import { ownHome } from "../own-home.ts";
import type { Environment } from "../safe-environment.ts";
import { type InlineServer, readInlineServers } from "../sources/inline-servers.ts";
import {
  type CanShadowByEndpoint,
  describeOwners,
  haveSeveralOrigins,
  mergeEntries,
  type OwningEntry,
} from "../sources/merged-servers.ts";
import type { ServerSource, SourceEntry } from "../sources/server-source.ts";
import type { DiscoveredHosts, FoundEntries } from "./discovered-hosts.ts";
import { projectAt } from "./project-top.ts";
import { readScopeOrder, type ScopeOrder, sortByScope } from "./scope-order.ts";

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
  /** Default the platform this runs on. */
  readonly platform?: NodeJS.Platform | undefined;
  /** `false` ignores entries of projects, so that the user's servers of the same names are used. Default true. */
  readonly project?: boolean | undefined;
  /**
   * The scopes, the strongest first, also within a host; a missing one comes last. Default: explicit, managed, local, project,
   * user, extension, with a host's own exceptions within the host.
   */
  readonly order?: readonly DefinitionScope[] | undefined;
  /**
   * Decides which entries are admitted before they are merged, see `createServerAdmission`. Default: every entry is, so the result
   * includes entries of projects that nobody has approved. Servers of projects that their host does not trust are blocked before.
   */
  readonly admit?: AdmitServer | undefined;
}

/** What was found. A name occurs at most once in `servers` and `problems` together. */
export interface DiscoveredServers extends SortedServers {
  /** Set if looking for hosts' servers failed as a whole, so that only the explicit servers were found. */
  readonly discoveryError?: McpError | undefined;
}

/**
 * Finds the servers of the named hosts, of named files and of code, and merges them: whole entries, the strongest scope first. A
 * host's own exceptions hold within the host. `shadowed` has the entries behind a stronger one of the same name, or for the same
 * endpoint in another host.
 *
 * It does not reject, nothing is executed, and no variable is expanded.
 */
export async function discoverServers(options: DiscoverServersOptions = {}): Promise<DiscoveredServers> {
  const found = await findServers(options);
  return found.merge(options.admit);
}

/** Entries that were read, and can be merged again whenever approvals change. */
export interface FoundServers {
  /** Merges what was found, from memory: no file is read again. */
  merge(admit?: AdmitServer): Promise<DiscoveredServers>;
}

/** Reads as `discoverServers` does, and leaves the merging for later. It does not reject. */
export async function findServers(
  options: Omit<DiscoverServersOptions, "admit"> = {},
): Promise<FoundServers> {
  const diagnostics: ConfigDiagnostic[] = [];
  const report: Report = (diagnostic) => diagnostics.push(diagnostic);
  let base = ".";
  let fault: unknown;
  try {
    base = absolutePath(options.base ?? options.cwd ?? base);
  } catch (cause) {
    fault = cause; // The working directory was removed, or an option is no path. The servers in code are there all the same.
  }
  const inline = options.servers === undefined ? [] : [readInlineServers(options.servers, base)];
  let named: readonly ServerSource[] = [];
  let discovered: DiscoveredHosts = { sources: [], problems: [] };
  let discoveryError: McpError | undefined;
  try {
    if (fault !== undefined) throw fault;
    named = await readFiles(options.files, base);
    discovered = await readHosts(options, report);
  } catch (cause) {
    discoveryError = toMcpError(cause, "MCP_INTERNAL", "Looking for servers failed.", { phase: "config" });
  }
  const explicit = [...inline, ...named];
  const { problems: faultsOfOrder, ...order } = readScopeOrder(options.order);
  const own: FoundEntries = { entries: explicit.flatMap(({ entries }) => entries) };
  return {
    async merge(admit) {
      const found = [own, ...discovered.sources];
      const merged =
        options.project === false
          ? await mergeSources(found.map(openToAdmission), order, withoutProjects(admit))
          : await mergeSources(found, order, admit);
      return {
        ...merged,
        problems: [
          ...faultsOfOrder,
          ...explicit.flatMap(({ problems }) => problems),
          ...discovered.problems,
          ...merged.problems,
        ],
        diagnostics: [
          ...explicit.flatMap((source) => source.diagnostics),
          ...diagnostics,
          ...merged.diagnostics,
        ],
        ...(discoveryError ? { discoveryError } : {}),
      };
    },
  };
}

// The modules that read files are loaded only if there is a file to read: a start with servers from code alone should not pay for
// them.

async function readFiles(files: unknown, base: string): Promise<readonly ServerSource[]> {
  if (files === undefined) return [];
  const { readNamedFiles } = await import("./file-sources.ts");
  return readNamedFiles(files, base);
}

async function readHosts(options: DiscoverServersOptions, report: Report): Promise<DiscoveredHosts> {
  const hosts: unknown = options.hosts ?? [JACKFIELD.id];
  const areOwn = Array.isArray(hosts) && hosts.every((host) => host === JACKFIELD.id);
  const nothing = { sources: [], problems: [] };
  if (areOwn && hosts.length === 0) return nothing;
  const { cwd = ".", platform = process.platform } = options;
  const at: HostSurroundings = {
    ...projectAt(cwd, platform),
    platform,
    env: options.env ?? process.env,
    home: options.home ?? ownHome(),
  };
  if (areOwn && !hasOwnFiles(at)) return nothing;
  const { discoverHosts } = await import("./file-sources.ts");
  return discoverHosts(hosts, at, report);
}

/** Whether there is anything where Jackfield's own files may be. */
function hasOwnFiles(at: HostSurroundings): boolean {
  return JACKFIELD.files.some(({ paths }) => paths(at).some(({ file }) => isThere(file)));
}

/** A path that cannot be examined counts as there, so that reading it reports the reason. */
function isThere(file: string): boolean {
  try {
    return fileSystem.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** What a host has against a project does not matter if all projects are switched off. */
function openToAdmission({ entries, ...source }: FoundEntries): FoundEntries {
  return { ...source, entries: entries.map(({ block: _block, ...entry }) => entry) };
}

function withoutProjects(admit: AdmitServer | undefined): AdmitServer {
  const block = { by: "project", reason: "servers from projects are switched off" };
  return async (definition) => {
    if (definition.definedIn.scope === "project") return { block, ownsName: false };
    return admit ? admit(definition) : { definition };
  };
}

async function mergeSources(
  sources: readonly FoundEntries[],
  order: ScopeOrder,
  admit: AdmitServer | undefined,
): Promise<SortedServers> {
  const owners: OwningEntry[] = [];
  const admitted: AdmittedEntries[] = [];
  for (const { entries, canShadowByEndpoint } of sources) {
    const found = await admitEntries(entries, admit);
    admitted.push(found);
    const ordered = order.isGiven
      ? sortByScope(found.entries, order, ({ definedIn }) => definedIn.scope)
      : found.entries;
    owners.push(...(await mergeFound(ordered, canShadowByEndpoint, true)));
  }
  return sortOutBlocked(describeOwners(await joinOwners(owners, order)), {
    blocks: new Map(admitted.flatMap(({ blocks }) => [...blocks])),
    held: admitted.flatMap(({ held }) => held),
  });
}

/** Endpoints of entries with one origin are not compared, so the module that compares them is not loaded. */
async function mergeFound(
  entries: readonly SourceEntry[],
  canShadowByEndpoint: CanShadowByEndpoint | undefined,
  isWithinHost: boolean,
): Promise<readonly OwningEntry[]> {
  if (canShadowByEndpoint === undefined || !(isWithinHost || haveSeveralOrigins(entries))) {
    return mergeEntries(entries);
  }
  const { addressOf, endpointOf, endpointStem, offeredTools } = await import("./file-sources.ts");
  // A host's own rule says which of its entries are one server, whatever their credentials and the tools that they offer.
  if (isWithinHost)
    return mergeEntries(entries, { canShadowByEndpoint, endpointOf: addressOf, endpointStem });
  const tools = { offeredBy: offeredTools, isDecidedBy: isOwn };
  return mergeEntries(entries, { canShadowByEndpoint, endpointOf, endpointStem, tools });
}

/** Jackfield's own configuration decides which tools an endpoint offers, so no entry of another host offers a tool that it excludes. */
function isOwn({ scope, host }: DefinedIn): boolean {
  return scope === "explicit" || host === JACKFIELD.id;
}

/** Merges the entries of the hosts and of the explicit sources, which were merged separately before. */
async function joinOwners(
  owners: readonly OwningEntry[],
  order: ScopeOrder,
): Promise<readonly OwningEntry[]> {
  const scopeOf = ({ entry }: OwningEntry) => entry.definedIn.scope;
  let sorted = sortByScope(owners, order, scopeOf);
  if (sorted.some(({ shadowed }) => shadowed.some(({ reason }) => reason === "endpoint"))) {
    const { competeAgain } = await import("./file-sources.ts");
    sorted = sortByScope(competeAgain(sorted), order, scopeOf);
  }
  const before = new Map<SourceEntry, OwningEntry["shadowed"]>();
  for (const { entry, shadowed } of sorted) if (shadowed.length > 0) before.set(entry, shadowed);
  const areOfDifferentHosts = (a: DefinedIn, b: DefinedIn) => a.host !== b.host;
  const joined = await mergeFound(
    sorted.map(({ entry }) => entry),
    areOfDifferentHosts,
    false,
  );
  if (before.size === 0) return joined;
  const weakerThan = ({ entry }: Pick<OwningEntry, "entry">) => before.get(entry) ?? [];
  return joined.map((owner) => {
    if (owner.shadowed.length === 0) return { entry: owner.entry, shadowed: weakerThan(owner) };
    const others = owner.shadowed.flatMap((weaker) => [weaker, ...weakerThan(weaker)]);
    return { entry: owner.entry, shadowed: [...weakerThan(owner), ...others] };
  });
}
