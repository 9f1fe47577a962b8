import type { DefinedIn, SourceLocation } from "@jackfield/mcp-core";
import { fitCells } from "./cells.ts";
import { printable, printableMessage } from "./terminal.ts";

/** Text from a server made safe for one line, cut to a number of cells of a terminal. */
export function printableLine(text: string, cells: number): string {
  return fitCells(printable(text).replace(/\s+/g, " ").trim(), cells);
}

/** No server name takes more cells than this. */
const LONGEST_NAME = 1_024;

/** A server's or a host's name for a table, which cuts it if it does not fit, as an approval shows it. */
export function printableName(name: string, cells = LONGEST_NAME): string {
  return fitCells(printableMessage(name.replaceAll("\n", " ")), cells);
}

/** No path takes more cells than this. */
const LONGEST_PLACE = 500;

/** Where an entry is. One without a file was passed with `--mcp-server`. */
export function placeOf({ file, line }: SourceLocation): string {
  if (file === undefined) return "command line";
  return printableName(line === undefined ? file : `${file}:${line}`, LONGEST_PLACE);
}

/** The same, each with the line and column of its entry, which are looked up in its file. */
export async function withLines<T extends { readonly definedIn: DefinedIn }>(
  entries: readonly T[],
): Promise<readonly T[]> {
  const { locate } = await import("@jackfield/mcp-config");
  return Promise.all(
    entries.map(async (entry) => {
      const { definedIn } = entry;
      return { ...entry, definedIn: { ...definedIn, ...(await locate(definedIn)) } };
    }),
  );
}

/** A number with its noun, in the singular or the plural. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
