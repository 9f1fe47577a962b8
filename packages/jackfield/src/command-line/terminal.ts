import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal's. */
export type Output = Writable & {
  readonly isTTY?: boolean | undefined;
  /** How wide it is, in characters. */
  readonly columns?: number | undefined;
  /** How high it is, in lines. */
  readonly rows?: number | undefined;
  /** Whether it shows colours, as the environment has it. */
  hasColors?(): boolean;
};

/** Where a command writes. */
export interface Terminal {
  /** Results. */
  readonly stdout: Output;
  /** Everything else. */
  readonly stderr: Output;
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

/** The longest name a server may have. */
const LONGEST_NAME = 512;

/** The name of a server in a table, which cuts it where it does not fit. */
export function printableName(name: string): string {
  return printableLine(name, LONGEST_NAME);
}

/** Breaks a text between words into lines of at most so many characters; a word that is longer than a line stays whole. */
export function wrapWords(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
