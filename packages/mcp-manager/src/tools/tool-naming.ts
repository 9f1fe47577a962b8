import { createHash } from "node:crypto";

/** The longest name every model provider accepts. */
const MAX_NAME_LENGTH = 64;
/** Leaves a tool 25 characters even behind the longest server part. */
const MAX_SERVER_LENGTH = 32;
const HASH_LENGTH = 8;

export interface ToolNamingOptions {
  /** Every configured server, connected or not: names depend on the configuration, never on who connects first. */
  readonly servers: readonly string[];
  /** Names the host has given away already. */
  readonly reserved?: readonly string[] | undefined;
}

/** Gives the tools of one server, by original name, the names they are offered under. */
export type ToolNaming = (server: string, tools: readonly string[]) => ReadonlyMap<string, string>;

/**
 * Names tools `mcp__<server>__<tool>`: `[A-Za-z0-9_-]`, at most 64 characters, and never parsed back.
 *
 * A name depends on the configured servers and on the tools of its own server alone, so the order in which servers connect
 * cannot change it. It is injective: the server part is distinct, whole and without `__` in it, so no tool can reach into
 * another server's names; and wherever two parts become alike, or a name is too long or reserved, the names concerned get eight
 * hexadecimal digits of the SHA-256 of what they stand for.
 */
export function createToolNaming({ servers, reserved = [] }: ToolNamingOptions): ToolNaming {
  const isReserved = new Set(reserved);
  const serverParts = distinctNames(servers, {
    nameOf: (server) => collapse(sanitise(server)) || "server",
    seedOf: (server) => server,
    maxLength: MAX_SERVER_LENGTH,
    isTaken: () => false,
  });
  return (server, tools) =>
    distinctNames(tools, {
      nameOf: (tool) => `mcp__${serverParts.get(server) ?? "server"}__${sanitise(tool) || "tool"}`,
      seedOf: (tool) => `${server}\0${tool}`,
      maxLength: MAX_NAME_LENGTH,
      isTaken: (name) => isReserved.has(name),
    });
}

interface NameRules {
  nameOf(original: string): string;
  /** What the hash is taken of. */
  seedOf(original: string): string;
  readonly maxLength: number;
  isTaken(name: string): boolean;
}

/** Maps each original to a name of its own. Whatever the order of the originals, the names are the same. */
function distinctNames(originals: readonly string[], rules: NameRules): Map<string, string> {
  const unique = [...new Set(originals)].sort();
  const plain = new Map(unique.map((original) => [original, rules.nameOf(original)]));
  const uses = Map.groupBy(plain.values(), (name) => name);
  const fits = (name: string) =>
    uses.get(name)?.length === 1 && name.length <= rules.maxLength && !rules.isTaken(name);
  const given = new Set([...plain.values()].filter(fits));
  for (const [original, name] of plain) {
    if (!fits(name)) plain.set(original, withHash(original, name, rules, given));
  }
  return plain;
}

function withHash(original: string, name: string, rules: NameRules, given: Set<string>): string {
  const stem = name.slice(0, rules.maxLength - HASH_LENGTH - 1);
  for (let round = 0; ; round += 1) {
    const seed = round === 0 ? rules.seedOf(original) : `${rules.seedOf(original)}\0${round}`;
    const hashed = `${stem}_${createHash("sha256").update(seed).digest("hex").slice(0, HASH_LENGTH)}`;
    if (given.has(hashed) || rules.isTaken(hashed)) continue;
    given.add(hashed);
    return hashed;
  }
}

function sanitise(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** One underscore for many, none at the ends, so that `__` separates the parts of a name and nothing else does. */
function collapse(text: string): string {
  return text.replace(/_{2,}/g, "_").replace(/^_+|_+$/g, "");
}
