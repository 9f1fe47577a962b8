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
 * Counts lines from the last position looked up, because the next one is usually close. The end of that line is kept, because a
 * whole file may be one line.
 */
export function createLineCounter(text: string): LineCounter {
  let line = 1;
  let start = 0;
  /** The offset of the line feed that ends the line; -1 for the last line. */
  let end = text.indexOf("\n");
  return {
    placeOf(offset) {
      while (offset < start) {
        end = start - 1;
        start = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
        line -= 1;
      }
      while (end !== -1 && end < offset) {
        start = end + 1;
        end = text.indexOf("\n", start);
        line += 1;
      }
      return { line, column: offset - start + 1 };
    },
  };
}
