import {
  isSameJson,
  type ServerDefinition,
  type ToolDefinition,
  type ToolDescriptor,
  type ToolFilter,
  type ToolsChanged,
} from "@jackfield/mcp-core";
import { matchesPattern } from "@jackfield/mcp-tools/name-pattern";
import {
  type DescribeTool,
  frozenDefinition,
  isIncluded,
  type OfferRules,
  offeredTools,
} from "./offered-tools.ts";
import { SortedTools } from "./sorted-tools.ts";
import { type KnownTool, ToolAliases } from "./tool-alias.ts";
import { createToolNaming, type ListedNames, type NamingOptions, type ToolNaming } from "./tool-naming.ts";

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
  /** Each tool as it was last shown to the policies. */
  readonly #described = new WeakMap<ToolDefinition, ToolDescriptor>();
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

  /**
   * What can be done, tool by tool, before a list replaces the server's. Whatever it was done with has changed by then is done again.
   */
  preparation(
    server: string,
    listed: readonly ToolDefinition[],
    origin: "live" | "cache",
  ): (definition: ToolDefinition) => void {
    const owner = this.#servers.get(server);
    if (owner === undefined) return () => {};
    const names = this.#naming.foresee(server, listedNames(owner, listed));
    return (definition) => {
      this.#describe({ server: owner, definition, origin, name: names.get(definition.name) ?? "" });
      for (const { prepare } of this.#options.policies) {
        try {
          prepare?.(definition);
        } catch {} // It judges the tool without preparation.
      }
    };
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

  #assign(server: ServerDefinition, listed: readonly ToolDefinition[]): readonly string[] {
    return this.#naming.assign(server.name, listedNames(server, listed));
  }

  /** Rebuilds the slices of these servers. Names that are given up are removed first, so that other tools can take them. */
  #offer(servers: readonly string[]): readonly ToolsChanged[] {
    servers.forEach(this.aliases.forget, this.aliases);
    const changes = servers.map((server) => {
      const before = this.#slices.get(server) ?? NOTHING;
      const after = this.#slice(server);
      return { server, after, gone: missingFrom(after, before), come: missingFrom(before, after) };
    });
    for (const { gone, after } of changes)
      for (const tool of gone)
        if (after.get(tool.originalName)?.name !== tool.name) this.#sorted.remove(tool);
    for (const { server, after, come } of changes) {
      for (const tool of come) this.#sorted.add(tool);
      if (after.size === 0) this.#slices.delete(server);
      else this.#slices.set(server, after);
    }
    return changes.flatMap(({ server, gone, come }) => difference(server, gone, come));
  }

  /** An unchanged tool keeps its object, and a definition keeps its bytes. */
  #slice(name: string): Slice {
    const server = this.#servers.get(name);
    const listing = this.#listings.get(name);
    if (server === undefined || listing === undefined) return NOTHING;
    const before = this.#slices.get(name) ?? NOTHING;
    const names = this.#naming.namesOf(name);
    const slice = offeredTools({ server, ...listing, names }, this.#options, this.#describe);
    if (before.size === 0) return slice;
    for (const tool of slice.values()) {
      const old = before.get(tool.originalName);
      if (old === undefined || old === tool || !isAlike(old, tool)) continue;
      if (old.origin === tool.origin) slice.set(tool.originalName, old);
      else if (old.definition !== tool.definition)
        slice.set(tool.originalName, Object.freeze({ ...old, origin: tool.origin }));
    }
    return slice;
  }

  /** A tool as the policies get it: the same object while nothing about it has changed. */
  readonly #describe: DescribeTool = ({ server, definition, origin, name }) => {
    const known = this.#described.get(definition);
    const checkArguments = server.limits?.checkArguments === false ? false : undefined;
    const isSame = known?.name === name && known.server === server.name && known.origin === origin;
    if (isSame && known.checkArguments === checkArguments) return known;
    const tool: ToolDescriptor = Object.freeze({
      name,
      server: server.name,
      originalName: definition.name,
      description: definition.description ?? definition.title ?? definition.annotations?.title ?? "",
      definition: frozenDefinition(definition),
      origin,
      requiresApproval: false,
      ...(checkArguments === false && { checkArguments }),
    });
    this.#described.set(definition, tool);
    return tool;
  };

  #warnOfFilter({ name, tools: filter }: ServerDefinition, listed: readonly ToolDefinition[]): void {
    const message = filter?.include && unmatchedInclude(filter, namesOf(listed));
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

/** The names of a list, all of them and those that the server's filter lets through. */
function listedNames({ tools: filter }: ServerDefinition, tools: readonly ToolDefinition[]): ListedNames {
  const listed = namesOf(tools);
  return {
    listed,
    included: filter === undefined ? listed : listed.filter((tool) => isIncluded(filter, tool)),
  };
}

/** Whether a caller could not tell two tools apart. The origin, live or catalog, is no difference. */
function isAlike(a: ToolDescriptor, b: ToolDescriptor): boolean {
  let more = 0;
  // Without copies: a call waits while every tool of a server that restarted is compared.
  for (const key in a) {
    const name = key as keyof ToolDescriptor;
    more += 1;
    if (name !== "origin" && !(Object.hasOwn(b, name) && isSameJson(a[name], b[name]))) return false;
  }
  for (const _ in b) more -= 1;
  return more === 0;
}

/** The tools of one slice that are not the same objects in another. */
function missingFrom(other: Slice, slice: Slice): readonly ToolDescriptor[] {
  const missing: ToolDescriptor[] = [];
  // By values: there may be ten thousand tools, and iterating over pairs makes three objects for each.
  for (const tool of slice.values()) if (other.get(tool.originalName) !== tool) missing.push(tool);
  return missing;
}

function difference(
  server: string,
  gone: readonly ToolDescriptor[],
  come: readonly ToolDescriptor[],
): ToolsChanged[] {
  const old = byName(gone);
  const now = byName(come);
  const added = [...now.keys()].filter((name) => !old.has(name)).sort();
  const removed = [...old.keys()].filter((name) => !now.has(name)).sort();
  const changed = gone.filter((tool) => isOther(tool, now.get(tool.name))).map(({ name }) => name);
  if (added.length + removed.length + changed.length === 0) return [];
  return [{ server, added, removed, changed: changed.sort() }];
}

function byName(tools: readonly ToolDescriptor[]): ReadonlyMap<string, ToolDescriptor> {
  const named = new Map<string, ToolDescriptor>();
  for (const tool of tools) named.set(tool.name, tool);
  return named;
}

/** Whether a tool that is still there has changed. */
function isOther(was: ToolDescriptor, tool: ToolDescriptor | undefined): boolean {
  if (tool === undefined) return false;
  // The slice would have kept a tool that is alike, so it is not compared again.
  const isJudged = was.originalName === tool.originalName && was.origin === tool.origin;
  return isJudged || !isAlike(was, tool);
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
