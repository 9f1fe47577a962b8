import type { Place } from "./pointer-places.ts";

/** Knows line and column of every offset in a text. Lines end with a line feed. */
export interface LineCounter {
  placeOf(offset: number): Place;
}

/** Lines are counted when a place is first asked for: of most texts, few places ever are. */
export function createLineCounter(text: string): LineCounter {
  let starts: number[] | undefined;
  return {
    placeOf(offset) {
      starts ??= lineStarts(text);
      const line = linesUpTo(starts, offset);
      return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
    },
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let feed = text.indexOf("\n"); feed !== -1; feed = text.indexOf("\n", feed + 1)) starts.push(feed + 1);
  return starts;
}

/** How many lines begin at an offset or before it, by halving. */
function linesUpTo(starts: readonly number[], offset: number): number {
  let from = 0;
  let to = starts.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((starts[middle] ?? 0) <= offset) from = middle + 1;
    else to = middle;
  }
  return from;
}
