import type { Readable, Writable } from "node:stream";

/** Where a command writes. */
export interface Terminal {
  /** Results. */
  readonly stdout: Writable;
  /** Everything else. */
  readonly stderr: Writable;
  /** Where answers come from. Default: standard input of this process. */
  readonly stdin?: (Readable & { readonly isTTY?: boolean | undefined }) | undefined;
}

/** C0 and C1 controls but tab and newline, and the characters that reorder or hide text. */
const UNPRINTABLE = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text from a server as it may be shown: it cannot move the cursor, change colours or hide anything. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === "\n" || character === "\t" ? character : "�",
  );
}

/** The same on one line, cut at so many characters. */
export function printableLine(text: string, length: number): string {
  const line = printable(text).replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** Lines of columns, each as wide as its widest cell; the last one is left as it is. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}
