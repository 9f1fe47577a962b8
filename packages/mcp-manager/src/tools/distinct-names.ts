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
export function suffixed(name: string, hash: string, maxLength: number): string {
  return `${name.slice(0, maxLength - hash.length - 1).replace(/[_-]+$/, "")}_${hash}`;
}
