import type { DefinedIn, ServerDefinition, ShadowedServer } from "@jackfield/mcp-core";
import { type ConfigDiagnostic, diagnose } from "../diagnostic-codes.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { quote } from "../server-name.ts";
import { type ConfigProblem, describeLocation, locationOf } from "./config-problem.ts";
import type { SourceEntry } from "./server-source.ts";

/** A usable server that a stronger one shadows. */
export interface ShadowedDefinition {
  readonly definition: ServerDefinition;
  /** The name of the stronger server. */
  readonly by: string;
  readonly reason: ShadowedServer["reason"];
}

/** An entry that owns its name, and the entries that it shadows. */
export interface OwningEntry {
  readonly entry: SourceEntry;
  readonly shadowed: readonly { readonly entry: SourceEntry; readonly reason: ShadowedServer["reason"] }[];
}

/** Whether entries of different names count as one server if they reach the same endpoint. */
export type CanShadowByEndpoint = (stronger: DefinedIn, weaker: DefinedIn) => boolean;

/** How entries of different names are recognised as one server. */
export interface EndpointRule {
  readonly canShadowByEndpoint: CanShadowByEndpoint;
  /** The endpoint of an entry, as a text that is equal for equal endpoints; `undefined` if it cannot be compared. */
  readonly endpointOf: (entry: SourceEntry) => string | undefined;
  /** A cheaper text that is also equal for equal endpoints. */
  readonly endpointStem: (entry: SourceEntry) => string | undefined;
  /** Omitted if the tools that entries offer do not matter. */
  readonly tools?: ToolsRule | undefined;
}

/** Decides between entries that reach the same endpoint and offer different tools. */
export interface ToolsRule {
  /** The tools that an entry offers, as a text that is equal for equal tools. */
  readonly offeredBy: (entry: SourceEntry) => string;
  /** Whether a stronger entry shadows weaker ones that offer other tools. If not, both must offer the same. */
  readonly isDecidedBy: (stronger: DefinedIn) => boolean;
}

/**
 * Lets the strongest entry of each name own it as a whole, even if it is switched off or invalid: falling back to another server of
 * that name would reach something that nobody asked for. An enabled entry also shadows weaker ones of other names that reach the
 * same endpoint.
 *
 * @param entries - the strongest first
 * @param rule - omitted if only names count
 */
export function mergeEntries(
  entries: readonly SourceEntry[],
  rule?: EndpointRule | undefined,
): readonly OwningEntry[] {
  const owners: Owners = new Map();
  for (const entry of entries) {
    // Entries without a name do not shadow each other.
    const key = entry.name === "" ? entry : entry.name;
    const owner = owners.get(key);
    if (!owner) owners.set(key, { entry, shadowed: [] });
    else if (!isSamePlace(owner.entry.definedIn, entry.definedIn))
      owner.shadowed.push({ entry, reason: "name" });
  }
  if (rule) joinEndpoints(owners, rule);
  return [...owners.values()];
}

type Owners = Map<string | SourceEntry, { entry: SourceEntry; shadowed: OwningEntry["shadowed"][number][] }>;

function joinEndpoints(owners: Owners, rule: EndpointRule): void {
  const alike = Map.groupBy(owners.values(), ({ entry }) => rule.endpointStem(entry));
  alike.delete(undefined);
  for (const found of alike.values()) if (found.length > 1) joinAlike(found, owners, rule);
}

/** @param found - some of the owners, the strongest first */
function joinAlike(
  found: readonly OwningEntry[],
  owners: Owners,
  { canShadowByEndpoint, endpointOf, tools }: EndpointRule,
): void {
  /** The strongest entry of each origin, by what it shadows: an endpoint, or an endpoint with the same tools. */
  const strongest = new Map<string, SourceEntry[]>();
  for (const { entry, shadowed } of found) {
    const endpoint = endpointOf(entry);
    if (endpoint === undefined) continue;
    const withTools = tools ? `${endpoint} ${tools.offeredBy(entry)}` : endpoint;
    const stronger = [endpoint, withTools].flatMap((key) => strongest.get(key) ?? []);
    const owner = stronger.find((other) => canShadowByEndpoint(other.definedIn, entry.definedIn));
    if (owner) {
      owners.delete(entry.name);
      owners.get(owner.name)?.shadowed.push({ entry, reason: "endpoint" }, ...shadowed);
      continue;
    }
    if (!isEnabled(entry)) continue;
    const key = tools?.isDecidedBy(entry.definedIn) ? endpoint : withTools;
    const known = strongest.get(key);
    if (known === undefined) strongest.set(key, [entry]);
    else if (!known.some((other) => isSameOrigin(other.definedIn, entry.definedIn))) known.push(entry);
  }
}

/** Whether entries come from more than one scope of one host. */
export function haveSeveralOrigins(entries: readonly SourceEntry[]): boolean {
  const [first] = entries;
  if (first === undefined) return false;
  return entries.some(({ definedIn }) => !isSameOrigin(definedIn, first.definedIn));
}

function isSameOrigin(a: DefinedIn, b: DefinedIn): boolean {
  return a.host === b.host && a.scope === b.scope;
}

/** The entries that own their names, as servers and problems. */
export interface MergedServers {
  readonly servers: readonly ServerDefinition[];
  /** The servers as their files have them, by name. */
  readonly written: ReadonlyMap<string, WrittenServer>;
  readonly shadowed: readonly ShadowedDefinition[];
  readonly problems: readonly ConfigProblem[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

export function describeOwners(owners: readonly OwningEntry[]): MergedServers {
  const servers: ServerDefinition[] = [];
  const written = new Map<string, WrittenServer>();
  const shadowed: ShadowedDefinition[] = [];
  const problems: ConfigProblem[] = [];
  const diagnostics: ConfigDiagnostic[] = [];
  for (const { entry, shadowed: others } of owners) {
    const { name, definedIn, outcome } = entry;
    const weaker = withReplaced(entry, others);
    if ("definition" in outcome) {
      const { definition } = outcome;
      servers.push(weaker.length > 0 ? { ...definition, shadows: weaker.map(shadowOf) } : definition);
      if (outcome.written) written.set(name, outcome.written);
    } else {
      problems.push({ server: name, definedIn, error: outcome.error, kind: "ServerConfigError" });
    }
    for (const { entry: other, reason } of weaker) {
      diagnostics.push(describeShadowed(other, entry, reason));
      if ("definition" in other.outcome)
        shadowed.push({ definition: other.outcome.definition, by: name, reason });
    }
  }
  return { servers, written, shadowed, problems, diagnostics };
}

/** An owner shadows as well what its entry and those that it shadows replace. */
function withReplaced(entry: SourceEntry, shadowed: OwningEntry["shadowed"]): OwningEntry["shadowed"] {
  if (entry.replaced === undefined && shadowed.length === 0) return shadowed;
  const replacedBy = ({ replaced = [] }: SourceEntry): OwningEntry["shadowed"] =>
    replaced.map((other) => ({ entry: other, reason: "name" }));
  return [...replacedBy(entry), ...shadowed.flatMap((other) => [other, ...replacedBy(other.entry)])];
}

function shadowOf({ entry: { name, definedIn }, reason }: OwningEntry["shadowed"][number]): ShadowedServer {
  return { name, definedIn, reason };
}

function describeShadowed(
  { name, definedIn }: SourceEntry,
  owner: SourceEntry,
  reason: ShadowedServer["reason"],
): ConfigDiagnostic {
  const place = describeLocation(owner.definedIn);
  const what =
    reason === "name"
      ? `the entry of the same name in ${place}`
      : `${quote(owner.name)} in ${place}, which reaches the same endpoint`;
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}) is shadowed by ${what}.`;
  return diagnose("shadowed", message, locationOf(definedIn), { server: name });
}

export function isEnabled({ outcome }: SourceEntry): boolean {
  return "definition" in outcome && outcome.definition.enabled !== false;
}

/** Whether two hosts have read the same entry of the same file. */
export function isSamePlace(a: DefinedIn, b: DefinedIn): boolean {
  const isSameFile = a.file !== undefined && (a.realFile ?? a.file) === (b.realFile ?? b.file);
  return isSameFile && a.pointer === b.pointer && a.host !== b.host;
}
