import {
  isSameJson,
  type ServerDefinition,
  type ToolDefinition,
  type ToolDescriptor,
  type ToolsChanged,
} from "@jackfield/mcp-core";
import type { NamingOptions } from "./naming-options.ts";
import { createSortedTools } from "./sorted-tools.ts";
import { createToolAliases, type KnownTool, type ToolAliases } from "./tool-alias.ts";
import { isIncluded, unmatchedInclude } from "./tool-filter.ts";
import { createToolNaming, type ToolNaming } from "./tool-naming.ts";
import { type OfferRules, offeredTools } from "./tool-slice.ts";

export interface ToolRegistryOptions extends OfferRules {
  /** Every configured server, connected or not: names depend on the configuration. */
  readonly servers: readonly ServerDefinition[];
  readonly naming: NamingOptions;
  /** Called with what a person should look at, and the server's name. */
  readonly warn: (message: string, server: string) => void;
}

/** The tools on offer: one slice per server, replaced as a whole, by the owner's exact name ([C14]). */
export interface ToolRegistry {
  /** Sorted by name, frozen, the same array while nothing changed; identical content gives identical bytes ([C16]). */
  tools(): readonly ToolDescriptor[];
  get(name: string): ToolDescriptor | undefined;
  find(server: string, originalName: string): ToolDescriptor | undefined;
  /**
   * Whether a text, in which `*` stands for any characters, is meant for exposed names: it is one, or begins like one. A server may call a
   * tool as another server's is exposed, at any time, so such a text must not mean original names.
   */
  isOfExposedNames(text: string): boolean;
  /** Finds tools by names that none of them has. */
  readonly aliases: ToolAliases;
  /** How many tools of the server are on offer. */
  count(server: string): number;
  /** @returns what changed for a caller, server by server; nothing for a server that is not configured. */
  replace(
    server: string,
    tools: readonly ToolDefinition[],
    origin: "live" | "cache",
  ): readonly ToolsChanged[];
  remove(server: string): readonly ToolsChanged[];
  /**
   * Applies a new set of configured servers: drops the slices of servers that are gone or switched off, renames tools whose names
   * depend on the set, and applies changed filters to known lists.
   *
   * @returns what changed for a caller, server by server.
   */
  configure(servers: readonly ServerDefinition[]): readonly ToolsChanged[];
}

export function createToolRegistry(options: ToolRegistryOptions): ToolRegistry {
  return new Registry(options);
}

interface ReceivedList {
  readonly listed: readonly ToolDefinition[];
  readonly origin: "live" | "cache";
}

/** A server's tools on offer by original name. */
type Slice = ReadonlyMap<string, ToolDescriptor>;

const NOTHING: Slice = new Map();

class Registry implements ToolRegistry {
  readonly #options: ToolRegistryOptions;
  /** The servers that may offer something, by name. */
  #servers: ReadonlyMap<string, ServerDefinition>;
  #naming: ToolNaming;
  readonly #listings = new Map<string, ReceivedList>();
  readonly #slices = new Map<string, Slice>();
  readonly #sorted = createSortedTools();
  readonly aliases = createToolAliases({
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

  tools(): readonly ToolDescriptor[] {
    return this.#sorted.list();
  }

  get(name: string): ToolDescriptor | undefined {
    return this.#sorted.get(name);
  }

  find(server: string, originalName: string): ToolDescriptor | undefined {
    return this.#slices.get(server)?.get(originalName);
  }

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

  count(server: string): number {
    return this.#slices.get(server)?.size ?? 0;
  }

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
