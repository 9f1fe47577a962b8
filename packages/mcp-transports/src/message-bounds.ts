/** Deeper than any honest message; programs that walk through one by recursion run out of stack far below this many thousands. */
const DEEPEST_NESTING = 256;

/** Objects and lists in all. A list of ten thousand tools has a tenth of that. */
const MOST_PARTS = 1_000_000;

/** A text of so many characters cannot describe anything beyond the bounds. */
export const ALWAYS_WITHIN_BOUNDS = DEEPEST_NESTING;

/**
 * What is wrong with the shape of something that was read from JSON; `undefined` if nothing is. It is gone through level by
 * level: recursion is what such a message is made to break (threat T86).
 */
export function findExcess(value: unknown): string | undefined {
  let level = partsOf([value]);
  let parts = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST_NESTING) return `it is nested more than ${DEEPEST_NESTING} levels deep`;
    parts += level.length;
    if (parts > MOST_PARTS) return `it has more than ${MOST_PARTS} parts`;
    level = level.flatMap(partsOf);
  }
  return undefined;
}

/** The objects and lists that stand directly in one. */
function partsOf(part: object): object[] {
  const members: readonly unknown[] = Array.isArray(part) ? part : Object.values(part);
  return members.filter((member) => typeof member === "object" && member !== null) as object[];
}
