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
 * Counts lines from one place to the next, because most places are asked for in their order. Once one lies before the last one, the
 * beginnings of all lines are looked up instead: going back again and again would take quadratic time.
 */
export function createLineCounter(text: string): LineCounter {
  let last = { offset: 0, line: 1, start: 0 };
  let starts: readonly number[] | undefined;
  return {
    placeOf(offset) {
      if (offset < last.offset) starts ??= lineStarts(text);
      if (starts) {
        const line = lineAt(offset, starts);
        return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
      }
      const between = text.slice(last.offset, offset);
      const end = between.lastIndexOf("\n");
      if (end === -1) last = { ...last, offset };
      else {
        const line = last.line + between.split("\n").length - 1;
        last = { offset, line, start: last.offset + end + 1 };
      }
      return { line: last.line, column: offset - last.start + 1 };
    },
  };
}

/** The offset at which each line begins. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

/** The number of the line that an offset is in: how many lines begin there or before. */
function lineAt(offset: number, starts: readonly number[]): number {
  let low = 1;
  let high = starts.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle - 1] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
