import {
  isSameJson,
  type ServerDefinition,
  type ToolDefinition,
  type ToolDescriptor,
  type ToolFilter,
  type ToolListPolicy,
  type ToolsChanged,
  thrownMessage,
} from "@jackfield/mcp-core";
import { matchesPattern } from "@jackfield/mcp-tools/name-pattern";
import { SCHEMA_NAMES, unparsedText } from "@jackfield/mcp-tools/unparsed-schema";
import { SortedTools } from "./sorted-tools.ts";
import { type KnownTool, ToolAliases } from "./tool-alias.ts";
import { createToolNaming, isUnawaited, type NamingOptions, type ToolNaming } from "./tool-naming.ts";

export interface ToolRegistryOptions extends OfferRules {
  /** Every configured server, connected or not: names depend on the configuration. */
  readonly servers: readonly ServerDefinition[];
  readonly naming: NamingOptions;
  /** Called with what a person should look at, and the server's name. */
  readonly warn: (message: string, server: string) => void;
}

interface ReceivedList {
  readonly listed: readonly ToolDefinition[];
  readonly origin: "live" | "cache";
}

/** A server's tools on offer by original name. */
type Slice = ReadonlyMap<string, ToolDescriptor>;

const NOTHING: Slice = new Map();

/** The tools on offer: one slice per server, replaced as a whole, by the owner's exact name ([C14]). */
export class ToolRegistry {
  readonly #options: ToolRegistryOptions;
  /** The servers that may offer something, by name. */
  #servers: ReadonlyMap<string, ServerDefinition>;
  #naming: ToolNaming;
  readonly #listings = new Map<string, ReceivedList>();
  readonly #slices = new Map<string, Slice>();
  readonly #sorted = new SortedTools();
  /** Finds tools by names that none of them has. */
  readonly aliases = new ToolAliases({
    servers: () => this.#listings.keys(),
    known: (server) => this.#known(server),
    find: (server, originalName) => this.find(server, originalName),
  });
  /** The last warning about each server's filter. */
  readonly #warned = new Map<string, string>();

  constructor(options: ToolRegistryOptions) {
    this.#options = options;
    this.#servers = enabledServers(options.servers);
    this.#naming = createToolNaming(namesOf(options.servers), options.naming);
  }

  /** Sorted by name, frozen, the same array while nothing changed; identical content gives identical bytes ([C16]). */
  tools(): readonly ToolDescriptor[] {
    return this.#sorted.list();
  }

  get(name: string): ToolDescriptor | undefined {
    return this.#sorted.get(name);
  }

  find(server: string, originalName: string): ToolDescriptor | undefined {
    return this.#slices.get(server)?.get(originalName);
  }

  /**
   * Whether a text, in which `*` stands for any characters, is meant for exposed names: it is one, or begins like one. A server may call a
   * tool as another server's is exposed, at any time, so such a text must not mean original names.
   */
  isOfExposedNames(text: string): boolean {
    const place = text.indexOf("*");
    const literal = place < 0 ? text : text.slice(0, place);
    if (literal.startsWith("mcp__") || this.#naming.isInTerritory(literal)) return true;
    return place < 0 ? this.#sorted.get(text) !== undefined : literal.startsWith("mcp_");
  }

  #known(server: string): readonly KnownTool[] {
    const names = this.#naming.namesOf(server);
    const originalNames = new Set(namesOf(this.#listings.get(server)?.listed ?? []));
    return Array.from(originalNames, (originalName) => ({ originalName, name: names.get(originalName) }));
  }

  /** How many tools of the server are on offer. */
  count(server: string): number {
    return this.#slices.get(server)?.size ?? 0;
  }

  /** @returns what changed for a caller, server by server; nothing for a server that is not configured. */
  replace(
    server: string,
    listed: readonly ToolDefinition[],
    origin: "live" | "cache",
  ): readonly ToolsChanged[] {
    const definition = this.#servers.get(server);
    if (definition === undefined) return [];
    this.#listings.set(server, { listed, origin });
    const renamed = this.#assign(definition, listed);
    if (origin === "live") this.#warnOfFilter(definition, listed);
    return this.#offer([server, ...renamed]);
  }

  remove(server: string): readonly ToolsChanged[] {
    if (!this.#listings.delete(server)) return [];
    const renamed = this.#naming.assign(server, { listed: [], included: [] });
    return this.#offer([server, ...renamed]);
  }

  /**
   * Applies a new set of configured servers: drops the slices of servers that are gone or switched off, renames tools whose names
   * depend on the set, and applies changed filters to known lists.
   *
   * @returns what changed for a caller, server by server.
   */
  configure(servers: readonly ServerDefinition[]): readonly ToolsChanged[] {
    const before = { servers: this.#servers, naming: this.#naming };
    this.#servers = enabledServers(servers);
    this.#naming = createToolNaming(namesOf(servers), this.#options.naming);
    for (const [name, { listed }] of this.#listings) {
      const definition = this.#servers.get(name);
      if (definition === undefined) this.#listings.delete(name);
      else this.#assign(definition, listed);
    }
    const known = new Set([...this.#slices.keys(), ...this.#listings.keys()]);
    const concerned = [...known].filter(
      (name) =>
        !isSameJson(before.servers.get(name)?.tools, this.#servers.get(name)?.tools) ||
        !isSameJson([...before.naming.namesOf(name)], [...this.#naming.namesOf(name)]) ||
        !this.#listings.has(name),
    );
    return this.#offer(concerned);
  }

  #assign({ name, tools: filter }: ServerDefinition, listed: readonly ToolDefinition[]): readonly string[] {
    const names = namesOf(listed);
    const included = filter === undefined ? names : names.filter((tool) => isIncluded(filter, tool));
    return this.#naming.assign(name, { listed: names, included });
  }

  /** Rebuilds the slices of these servers. Old tools are removed first, so that new ones can take their names. */
  #offer(servers: readonly string[]): readonly ToolsChanged[] {
    servers.forEach(this.aliases.forget, this.aliases);
    const slices = servers.map((server) => ({
      server,
      before: this.#slices.get(server) ?? NOTHING,
      after: this.#slice(server),
    }));
    for (const { before, after } of slices) {
      for (const [name, tool] of before) if (after.get(name) !== tool) this.#sorted.remove(tool);
    }
    for (const { server, before, after } of slices) {
      // By values: there may be ten thousand tools, and iterating over pairs makes three objects for each.
      for (const tool of after.values()) if (before.get(tool.originalName) !== tool) this.#sorted.add(tool);
      if (after.size === 0) this.#slices.delete(server);
      else this.#slices.set(server, after);
    }
    return slices.flatMap(({ server, before, after }) => difference(server, before, after));
  }

  /** An unchanged tool keeps its object, and a definition keeps its bytes. */
  #slice(name: string): Slice {
    const server = this.#servers.get(name);
    const listing = this.#listings.get(name);
    if (server === undefined || listing === undefined) return NOTHING;
    const before = this.#slices.get(name) ?? NOTHING;
    const slice = offeredTools({ server, ...listing, names: this.#naming.namesOf(name) }, this.#options);
    if (before.size === 0) return slice;
    for (const [original, tool] of slice) {
      const old = before.get(original);
      if (old === undefined || !isAlike(old, tool)) continue;
      slice.set(original, old.origin === tool.origin ? old : Object.freeze({ ...old, origin: tool.origin }));
    }
    return slice;
  }

  #warnOfFilter({ name, tools: filter }: ServerDefinition, listed: readonly ToolDefinition[]): void {
    const message = unmatchedInclude(filter, namesOf(listed));
    if (message !== undefined && message !== this.#warned.get(name)) this.#options.warn(message, name);
    if (message === undefined) this.#warned.delete(name);
    else this.#warned.set(name, message);
  }
}

function enabledServers(servers: readonly ServerDefinition[]): ReadonlyMap<string, ServerDefinition> {
  return new Map(servers.filter(({ enabled }) => enabled !== false).map((server) => [server.name, server]));
}

function namesOf(named: readonly { readonly name: string }[]): string[] {
  return named.map(({ name }) => name);
}

/** Whether a caller could not tell two tools apart. The origin, live or catalog, is no difference. */
function isAlike(a: ToolDescriptor, b: ToolDescriptor): boolean {
  const names = Object.keys(a) as (keyof ToolDescriptor)[];
  if (names.length !== Object.keys(b).length) return false;
  // Without copies: a call waits while every tool of a server that restarted is compared.
  return names.every((name) => name === "origin" || (Object.hasOwn(b, name) && isSameJson(a[name], b[name])));
}

function difference(server: string, before: Slice, after: Slice): ToolsChanged[] {
  if (before.size === 0 && after.size > 0) {
    return [{ server, added: [...after.values()].map(({ name }) => name).sort(), removed: [], changed: [] }];
  }
  const old = byName(before);
  const now = byName(after);
  const added = [...now.keys()].filter((name) => !old.has(name)).sort();
  const removed = [...old.keys()].filter((name) => !now.has(name)).sort();
  const changed = [...old.values()]
    .filter((tool) => isOther(tool, now.get(tool.name)))
    .map(({ name }) => name);
  if (added.length + removed.length + changed.length === 0) return [];
  return [{ server, added, removed, changed: changed.sort() }];
}

function byName(slice: Slice): Slice {
  if (slice.size === 0) return NOTHING;
  const tools = new Map<string, ToolDescriptor>();
  for (const tool of slice.values()) tools.set(tool.name, tool);
  return tools;
}

/** Whether a tool that is still there has changed. */
function isOther(was: ToolDescriptor, tool: ToolDescriptor | undefined): boolean {
  return tool !== undefined && was !== tool && !isAlike(was, tool);
}

/** What decides which tools of a server are offered. */
export interface OfferRules {
  readonly policies: readonly ToolListPolicy[];
  /** Called for every tool that is kept back, except by a filter. */
  readonly blocked: (tool: ToolDescriptor, reason: string) => void;
}

/** A server's list as it was received, and the names its tools got. */
export interface NamedListing {
  readonly server: ServerDefinition;
  readonly listed: readonly ToolDefinition[];
  readonly origin: "live" | "cache";
  /** Exposed names by original names. */
  readonly names: ReadonlyMap<string, string>;
}

const NAMESAKE = { blocked: "an earlier tool of the server has the same name" };

/**
 * The tools offered of a server's list, by original name: those that its filter lets through and no policy blocks. Of two tools with
 * one name the first wins, so that a later one cannot take its place.
 */
function offeredTools(
  { server, listed, origin, names }: NamedListing,
  { policies, blocked }: OfferRules,
): Map<string, ToolDescriptor> {
  const offered = new Map<string, ToolDescriptor>();
  /** Needed only if there are duplicates: `names` has one entry per original name. */
  const seen = names.size < listed.length ? new Set<string>() : undefined;
  const unchecked =
    server.limits?.checkArguments === false ? ({ checkArguments: false } as const) : undefined;
  for (const definition of listed) {
    const name = names.get(definition.name);
    if (name === undefined || !isIncluded(server.tools, definition.name)) continue;
    const tool: ToolDescriptor = Object.freeze({
      name,
      server: server.name,
      originalName: definition.name,
      description: definition.description ?? definition.title ?? definition.annotations?.title ?? "",
      definition: frozenDefinition(definition),
      origin,
      requiresApproval: false,
      ...unchecked,
    });
    const decided = seen?.has(definition.name) ? NAMESAKE : applyPolicies(policies, tool);
    seen?.add(definition.name);
    if ("blocked" in decided) blocked(tool, decided.blocked);
    else offered.set(definition.name, decided);
  }
  return offered;
}

function applyPolicies(
  policies: readonly ToolListPolicy[],
  tool: ToolDescriptor,
): ToolDescriptor | { readonly blocked: string } {
  let offered = tool;
  for (const policy of policies) {
    try {
      const decided = policy(offered);
      if ("blocked" in decided) return decided;
      if (isUnawaited(decided) || typeof decided.definition !== "object")
        return { blocked: "a tool policy returned something that is not a tool" };
      if (decided === offered) continue; // Most tools pass as they are.
      const { name, server, originalName } = tool; // A policy cannot change which tool it is.
      offered = Object.freeze({ ...decided, name, server, originalName });
    } catch (error) {
      return { blocked: `a tool policy threw: ${thrownMessage(error)}` };
    }
  }
  return offered;
}

/**
 * Freezes a definition, because the catalog, the policies and every caller share it ([L13], [L14]). A schema that its catalog has not
 * parsed yet is skipped: it is frozen when first read, and reading it here would parse the schemas of every tool at each start.
 */
function frozenDefinition(definition: ToolDefinition): ToolDefinition {
  if (Object.isFrozen(definition)) return definition;
  for (const key in definition) {
    if (isUnparsed(definition, key)) continue;
    const inner: unknown = definition[key as keyof ToolDefinition];
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(definition);
}

function isUnparsed(definition: ToolDefinition, key: string): boolean {
  const isSchema = key === SCHEMA_NAMES[0] || key === SCHEMA_NAMES[1];
  return isSchema && unparsedText(definition, key) !== undefined;
}

function deepFreeze<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  // Schemas are JSON, so nothing is inherited; `for in` takes half the time of listing the values first.
  for (const key in value) {
    const inner: unknown = value[key];
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return value;
}

/** Whether a server's filter lets a tool through, by its original name. `exclude` beats `include`. */
export function isIncluded(filter: ToolFilter | undefined, tool: string): boolean {
  if (filter === undefined) return true;
  const { include, exclude = [] } = filter;
  const isNamed = (patterns: readonly string[]) => patterns.some((pattern) => matchesPattern(pattern, tool));
  return (include === undefined || isNamed(include)) && !isNamed(exclude);
}

/**
 * The warning for a filter that includes tools the server does not offer, for example because of a typo ([L24]). `undefined` if all is
 * well; an `exclude` that matches nothing does no harm.
 */
function unmatchedInclude(
  { include = [] }: ToolFilter = {},
  advertised: readonly string[],
): string | undefined {
  const unmatched = include.filter((pattern) => !advertised.some((tool) => matchesPattern(pattern, tool)));
  if (unmatched.length === 0) return undefined;
  const offered = advertised.slice(0, 20).map((tool) => `"${tool}"`);
  const more = advertised.length > 20 ? ` and ${advertised.length - 20} more` : "";
  return `The server's filter includes ${unmatched.map((pattern) => `"${pattern}"`).join(", ")}, which matches none of its tools; it offers ${offered.join(", ") || "none"}${more}.`;
}
