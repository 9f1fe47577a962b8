import { fitCells } from "./cells.ts";
import { printable } from "./terminal.ts";

/** Text from a server as it may be shown on one line, cut where it takes more than so many cells of a terminal. */
export function printableLine(text: string, cells: number): string {
  return fitCells(printable(text).replace(/\s+/g, " ").trim(), cells);
}

/** The longest name a server may have takes no more cells than this. */
const LONGEST_NAME = 1_024;

/** The name of a server in a table, which cuts it where it does not fit. */
export function printableName(name: string): string {
  return printableLine(name, LONGEST_NAME);
}
