/** A position in a text; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Knows line and column of every offset in a text. Lines end with a line feed. */
export interface LineCounter {
  placeOf(offset: number): Place;
}

/**
 * Finds lines as far as they are asked for, because most places lie near the beginning. The next line feed is remembered as well,
 * because a whole file may be one line.
 */
export function createLineCounter(text: string): LineCounter {
  /** The offsets at which the lines found so far begin. */
  const starts = [0];
  /** The offset of the line feed that ends the last of them; -1 at the end of the text. */
  let end = text.indexOf("\n");
  return {
    placeOf(offset) {
      while (end !== -1 && end < offset) {
        starts.push(end + 1);
        end = text.indexOf("\n", end + 1);
      }
      const line = lineAt(offset, starts);
      return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
    },
  };
}

/** The number of the line that an offset is in: how many lines begin there or before. */
function lineAt(offset: number, starts: readonly number[]): number {
  let [low, high] = [1, starts.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle - 1] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
