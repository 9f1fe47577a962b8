import { isSameJson } from "@jackfield/mcp-core";
import type { NamingStrategy } from "./tool-naming.ts";

/** The longest name every model provider accepts. */
export const MAX_NAME_LENGTH = 64;
/** Leaves a tool 25 characters even behind the longest server part. */
const MAX_SERVER_LENGTH = 32;

/** Gives the tools of one server, by original name, the names they are offered under. */
export type NameServerTools = (server: string, tools: readonly string[]) => ReadonlyMap<string, string>;

/** Names that begin with their server's name. */
export interface ServerNames {
  readonly namesOf: NameServerTools;
  /** Whether a name begins with a configured server's prefix. */
  isInTerritory(name: string): boolean;
}

interface Pattern {
  readonly serverPart: (server: string) => string;
  readonly toolPart: (tool: string, server: string) => string;
  /** Ends with `_`. */
  readonly prefix: (serverPart: string) => string;
}

const PATTERNS: { readonly [S in Exclude<NamingStrategy, "tool">]: Pattern } = {
  mcp__server__tool: {
    serverPart: (server) => trim(collapse(safeName(server)), "_"),
    toolPart: safeName,
    prefix: (part) => `mcp__${part}__`,
  },
  mcp__server_tool: {
    serverPart: lowered,
    toolPart: (tool, server) => withoutPrefix(lowered(tool), `${lowered(server)}_`),
    prefix: (part) => `mcp__${part}_`,
  },
  mcp_server_tool: { serverPart: safeName, toolPart: safeName, prefix: (part) => `mcp_${part}_` },
  mcp_server__tool: {
    serverPart: (server) => trim(safeName(server), "_-"),
    toolPart: (tool) => trim(safeName(tool), "_-"),
    prefix: (part) => `mcp_${part}__`,
  },
};

/**
 * Names that depend on the configured servers and on the tools of their own server alone, so that the order in which servers connect
 * cannot change them.
 *
 * They are injective: each configured server has a prefix of its own, and a name belongs to the server with the longest prefix it
 * begins with. A tool whose plain name would belong to another server gets a hash behind its own prefix; so do tools of one server
 * whose names would clash, and names that are too long or reserved.
 */
export function createServerNames(
  strategy: keyof typeof PATTERNS,
  servers: readonly string[],
  isReserved: (name: string) => boolean,
): ServerNames {
  const { serverPart, toolPart, prefix } = PATTERNS[strategy];
  const parts = distinctNames(servers, {
    nameOf: (server) => serverPart(server) || "server",
    hashedForms: (server, hash) => [suffixed(serverPart(server) || "server", hash, MAX_SERVER_LENGTH)],
    seedOf: (server) => server,
    isUsable: (name) => name.length <= MAX_SERVER_LENGTH,
  });
  const prefixes = new Map([...parts].map(([server, part]) => [server, prefix(part)]));
  const territories = createTerritories([...prefixes.values()]);

  /** The last names of each server: most lists are like the one before. */
  const made = new Map<
    string,
    { readonly tools: readonly string[]; readonly names: ReadonlyMap<string, string> }
  >();
  const nameTools: NameServerTools = (server, tools) => {
    const own = prefixes.get(server);
    if (own === undefined) return new Map();
    const rivals = territories.within(own);
    const partOf = (tool: string) => toolPart(tool, server) || "tool";
    const isUsable = (name: string) =>
      name.length <= MAX_NAME_LENGTH &&
      name.startsWith(own) &&
      !isReserved(name) &&
      (rivals.length === 0 || !rivals.some((rival) => name.startsWith(rival)));
    const plain = plainNames(tools, (tool) => {
      const name = own + tool;
      return partOf(tool) === tool && isUsable(name) ? name : undefined;
    });
    if (plain !== undefined) return plain;
    return distinctNames(tools, {
      nameOf: (tool) => `${own}${partOf(tool)}`,
      hashedForms: (tool, hash) => [
        suffixed(`${own}${partOf(tool)}`, hash, MAX_NAME_LENGTH),
        `${own}${hash}_${partOf(tool)}`.slice(0, MAX_NAME_LENGTH),
      ],
      seedOf: (tool) => `${server}\0${tool}`,
      isUsable,
    });
  };

  return {
    isInTerritory: territories.has,
    namesOf(server, tools) {
      const last = made.get(server);
      if (last !== undefined && isSameJson(last.tools, tools)) return last.names;
      const names = nameTools(server, tools);
      if (tools.length === 0) made.delete(server);
      else made.set(server, { tools, names });
      return names;
    },
  };
}

/**
 * The names if each tool can keep its original name behind its server's prefix: those are unique, so none is compared with the others.
 * `undefined` if one cannot.
 */
function plainNames(
  tools: readonly string[],
  nameOf: (tool: string) => string | undefined,
): Map<string, string> | undefined {
  const names = new Map<string, string>();
  for (const tool of tools) {
    const name = nameOf(tool);
    if (name === undefined) return undefined;
    names.set(tool, name);
  }
  return names;
}

interface Territories {
  has(name: string): boolean;
  /** The prefixes that begin with this one and are longer. */
  within(prefix: string): readonly string[];
}

function createTerritories(prefixes: readonly string[]): Territories {
  const sorted = [...prefixes].sort();
  const isPrefix = new Set(prefixes);
  const places = new Map(sorted.map((prefix, place) => [prefix, place]));
  return {
    has(name) {
      for (let end = name.indexOf("_"); end >= 0; end = name.indexOf("_", end + 1)) {
        if (isPrefix.has(name.slice(0, end + 1))) return true;
      }
      return false;
    },
    within(prefix) {
      const rivals: string[] = [];
      let place = (places.get(prefix) ?? sorted.length) + 1;
      for (; sorted[place]?.startsWith(prefix) === true; place += 1) rivals.push(sorted[place] as string);
      return rivals;
    },
  };
}

/** A name without a prefix. It must begin with a letter or `_`, because Gemini refuses a whole request otherwise. */
export function safeWholeName(text: string): string {
  return safeName(text).replace(/^[0-9-]/, "_$&");
}

/** Replaces each character that a model provider refuses by `_`. */
function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, "_");
}

function lowered(text: string): string {
  return trim(collapse(text.toLowerCase().replace(/[^a-z0-9_]/g, "_")), "_");
}

function collapse(text: string): string {
  return text.replace(/_{2,}/g, "_");
}

function trim(text: string, characters: "_" | "_-"): string {
  return characters === "_" ? text.replace(/^_+|_+$/g, "") : text.replace(/^[_-]+|[_-]+$/g, "");
}

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

const HASH_LENGTH = 8;

export interface NameRules {
  /** The name that is tried first. */
  nameOf(original: string): string;
  /** Fallback names, best first; called again with another hash until one is free. */
  hashedForms(original: string, hash: string): readonly string[];
  /** The input of the hash. */
  seedOf(original: string): string;
  /** Whether a name may be given at all. */
  isUsable(name: string): boolean;
}

/**
 * Maps each original to a unique name. The names do not depend on the order of the originals: all that would clash get eight
 * hexadecimal digits of a SHA-256, none keeps the plain name.
 */
export function distinctNames(originals: readonly string[], rules: NameRules): Map<string, string> {
  const names = new Map<string, string>();
  const owners = new Map<string, string>();
  const clashing = new Set<string>();
  for (const original of originals) {
    if (names.has(original)) continue;
    const name = rules.nameOf(original);
    names.set(original, name);
    const owner = owners.get(name);
    if (owner !== undefined) clashing.add(owner).add(original);
    else if (rules.isUsable(name)) owners.set(name, original);
    else clashing.add(original);
  }
  if (clashing.size === 0) return names;
  const given = new Set([...names].filter(([original]) => !clashing.has(original)).map(([, name]) => name));
  for (const original of [...clashing].sort()) names.set(original, hashedName(original, rules, given));
  return names;
}

function hashedName(original: string, rules: NameRules, given: Set<string>): string {
  for (let round = 0; ; round += 1) {
    const seed = round === 0 ? rules.seedOf(original) : `${rules.seedOf(original)}\0${round}`;
    // Few names need a hash, and importing the module takes longer than naming thousands of tools.
    const { createHash } = process.getBuiltinModule("node:crypto");
    const hash = createHash("sha256").update(seed).digest("hex").slice(0, HASH_LENGTH);
    const name = rules.hashedForms(original, hash).find((form) => !given.has(form) && rules.isUsable(form));
    if (name === undefined) continue;
    given.add(name);
    return name;
  }
}

/** The beginning of a name plus a hash, within a length. */
function suffixed(name: string, hash: string, maxLength: number): string {
  return `${name.slice(0, maxLength - hash.length - 1).replace(/[_-]+$/, "")}_${hash}`;
}
