/** Deeper than any honest message, and far below the thousands of levels at which recursive programs run out of stack. */
const DEEPEST_NESTING = 256;

/** Objects and lists in total. A list of ten thousand tools has a tenth of that. */
const MOST_PARTS = 1_000_000;

/** A JSON text of at most this many characters cannot exceed the bounds. */
export const ALWAYS_WITHIN_BOUNDS = DEEPEST_NESTING;

/**
 * Says which bound a value parsed from JSON exceeds; `undefined` if none. Such a message is made to break unbounded recursion
 * (threat T86), so the recursion here ends at the bound.
 */
export function findExcess(value: unknown): string | undefined {
  const parts = countParts(value, 1, MOST_PARTS);
  if (parts === TOO_DEEP) return `it is nested more than ${DEEPEST_NESTING} levels deep`;
  return parts > MOST_PARTS ? `it has more than ${MOST_PARTS} parts` : undefined;
}

const TOO_DEEP = -1;

/** Counts objects and lists. Stops once there are more than `most`; the count is then no longer exact. */
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
  // Parsed JSON has no inherited members, and `for…in` makes no list of the keys.
  for (const name in value) {
    const inner = countParts((value as { readonly [name: string]: unknown })[name], depth + 1, most - parts);
    if (inner === TOO_DEEP) return TOO_DEEP;
    parts += inner;
    if (parts > most) break;
  }
  return parts;
}
