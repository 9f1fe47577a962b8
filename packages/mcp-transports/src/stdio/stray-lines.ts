import type { StrayOutput } from "../channel.ts";

/** What is kept of the first line, in characters: more than is shown, so that no half secret is left when it is cut. */
const KEPT_LENGTH = 16 * 1024;

/** Counts the lines on standard output that are not JSON-RPC. */
export interface StrayLines {
  readonly count: number;
  add(line: string): void;
  /** `undefined` if there was none. */
  summary(): StrayOutput | undefined;
}

/** `onFirst` receives only the first line: a server that logs to its standard output would fill the host's log as well. */
export function createStrayLines(onFirst: (line: string) => void): StrayLines {
  let lines = 0;
  let first = "";
  let last = "";
  return {
    get count() {
      return lines;
    },
    add(line) {
      lines += 1;
      // A slice would keep the whole line alive.
      last = line.length > KEPT_LENGTH ? structuredClone(line.slice(0, KEPT_LENGTH)) : line;
      if (lines > 1) return;
      first = last;
      onFirst(first);
    },
    summary: () => (lines > 0 ? { lines, first, last } : undefined),
  };
}
