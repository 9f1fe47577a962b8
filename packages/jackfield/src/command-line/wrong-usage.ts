import { McpError } from "@jackfield/mcp-core";

/** The exit code for a command line that cannot be understood (`EX_USAGE` of sysexits.h). */
export const EXIT_USAGE = 64;

/** An error of whoever typed the command line: nothing was read, started or changed. */
export class UsageError extends McpError {
  constructor(message: string) {
    super("MCP_CONFIG_INVALID", message, { phase: "config" });
  }
}

/** ` did you mean "a" or "b"?`, to be put after a semicolon; `undefined` if no name is like the one that was typed. */
export function didYouMean(typed: string, names: Iterable<string>): string | undefined {
  const near = nearest(typed, names).map((name) => JSON.stringify(name));
  return near.length === 0 ? undefined : `did you mean ${near.join(" or ")}?`;
}

/** How many names are suggested at most. */
const MOST = 3;
/** Longer texts are no slip of the fingers. */
const LONGEST = 128;

/** The names that are most like the one that was typed, best first: a few letters differ, or it is a part of one of them. */
function nearest(typed: string, names: Iterable<string>): readonly string[] {
  const wanted = plain(typed);
  if (wanted.length === 0 || wanted.length > LONGEST) return [];
  const judged = [...new Set(names)].flatMap((name) => {
    const known = plain(name);
    if (known === "" || known.length > LONGEST) return [];
    const distance = distanceOf(wanted, known);
    const isPart = wanted.length > 2 && (known.startsWith(wanted) || wanted.startsWith(known));
    const isNear = distance <= Math.max(1, Math.floor(Math.min(wanted.length, known.length) / 3));
    return isNear || isPart ? [{ name, distance }] : [];
  });
  const [best] = judged.sort((a, b) => a.distance - b.distance);
  // Those that are clearly further away only distract.
  return judged
    .filter(({ distance }) => distance <= (best?.distance ?? 0) + 1)
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** Separators and upper case are what people get wrong first. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** How many letters have to be added, left out, replaced or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return last[b.length] ?? 0;
}
