/** Deeper than any honest message; programs that walk through one by recursion run out of stack far below this many thousands. */
const DEEPEST_NESTING = 256;

/** Objects and lists in all. A list of ten thousand tools has a tenth of that. */
const MOST_PARTS = 1_000_000;

/** A text of so many characters cannot describe anything beyond the bounds. */
export const ALWAYS_WITHIN_BOUNDS = DEEPEST_NESTING;

/**
 * What is wrong with the shape of something that was read from JSON; `undefined` if nothing is. Unbounded recursion is what such a
 * message is made to break (threat T86); this one ends at the bound.
 */
export function findExcess(value: unknown): string | undefined {
  const parts = countParts(value, 1, MOST_PARTS);
  if (parts === TOO_DEEP) return `it is nested more than ${DEEPEST_NESTING} levels deep`;
  return parts > MOST_PARTS ? `it has more than ${MOST_PARTS} parts` : undefined;
}

const TOO_DEEP = -1;

/** How many objects and lists there are; no longer exact, and not gone on with, once they are more than `most`. */
function countParts(value: unknown, depth: number, most: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > DEEPEST_NESTING) return TOO_DEEP;
  let parts = 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      const inner = countParts(item, depth + 1, most - parts);
      if (inner === TOO_DEEP) return TOO_DEEP;
      parts += inner;
      if (parts > most) break;
    }
    return parts;
  }
  // What was read from JSON has no members but its own, and a list of them need not be made.
  for (const name in value) {
    const inner = countParts((value as { readonly [name: string]: unknown })[name], depth + 1, most - parts);
    if (inner === TOO_DEEP) return TOO_DEEP;
    parts += inner;
    if (parts > most) break;
  }
  return parts;
}
