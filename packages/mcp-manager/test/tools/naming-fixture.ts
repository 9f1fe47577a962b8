import type { NamingOptions } from "../../src/tools/tool-naming.ts";
import { createToolNaming, type ToolNaming } from "../../src/tools/tool-naming.ts";

/** The tools of some servers by server. */
export type Listings = ReadonlyMap<string, readonly string[]>;

/** The naming once these servers have listed their tools in the order given. */
export function namingOf(
  listings: Listings,
  options: NamingOptions,
  configured: readonly string[],
): ToolNaming {
  const naming = createToolNaming(configured, options);
  for (const [server, listed] of listings) naming.assign(server, { listed, included: listed });
  return naming;
}

/** Every exposed name by `server\0tool`. */
export function allNames(
  listings: Listings,
  options: NamingOptions = {},
  configured = [...listings.keys()],
): Map<string, string> {
  const naming = namingOf(listings, options, configured);
  const names = new Map<string, string>();
  for (const server of listings.keys()) {
    for (const [tool, name] of naming.namesOf(server)) names.set(`${server}\0${tool}`, name);
  }
  return names;
}

/** Every exposed name given so far, without its server and tool, for very large numbers. */
export function givenNames(naming: ToolNaming, servers: Iterable<string>): string[] {
  const names: string[] = [];
  for (const server of servers) for (const name of naming.namesOf(server).values()) names.push(name);
  return names;
}

/** The name of one tool, among the configured servers. */
export function nameOf(
  server: string,
  tool: string,
  options: NamingOptions = {},
  configured = [server],
): string {
  return allNames(new Map([[server, [tool]]]), options, configured).get(`${server}\0${tool}`) ?? "";
}

/** A linear congruential generator (Numerical Recipes), so that a failure can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const SYLLABLES = [
  "a",
  "b",
  "A",
  "_",
  "__",
  ".",
  "-",
  " ",
  "é",
  "天",
  "/",
  "mcp",
  "0badcafe",
  "x".repeat(40),
];

/** Names that become equal when they are sanitized, differ by one character, run into each other, or are too long. */
export function awkwardNames(random: () => number, count: number): string[] {
  const words = new Set<string>();
  while (words.size < count) {
    const length = 1 + Math.floor(random() * 6);
    words.add(Array.from({ length }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join(""));
  }
  return [...words];
}

export function shuffled<T>(values: Iterable<T>, random: () => number): T[] {
  return [...values]
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
