import type { Place } from "./pointer-places.ts";

/** Knows line and column of every offset in a text. Lines end with a line feed. */
export interface LineCounter {
  placeOf(offset: number): Place;
}

/** Lines are counted from the place that was asked for last, because the next one is hardly ever far from it. */
export function createLineCounter(text: string): LineCounter {
  let line = 1;
  /** Where the line begins. */
  let start = 0;
  return {
    placeOf(offset) {
      while (offset < start) {
        start = start === 1 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
        line -= 1;
      }
      for (;;) {
        const feed = text.indexOf("\n", start);
        if (feed === -1 || feed >= offset) return { line, column: offset - start + 1 };
        start = feed + 1;
        line += 1;
      }
    },
  };
}
