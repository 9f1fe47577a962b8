import type { Readable, Writable } from "node:stream";
import type { Diagnostic } from "@jackfield/mcp-core";
import { printableMessage as messageWithCodes } from "../printable-message.ts";

const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);

/** A stream that may be a terminal's. */
export type Output = Writable & {
  readonly isTTY?: boolean | undefined;
  /** How wide it is, in cells. */
  readonly columns?: number | undefined;
  /** How high it is, in lines. */
  readonly rows?: number | undefined;
};

/** The streams of a command. */
export interface Terminal {
  /** Results. */
  readonly stdout: Output;
  /** Everything else. */
  readonly stderr: Output;
  /** Where answers come from. Default: standard input of this process. */
  readonly stdin?: (Readable & { readonly isTTY?: boolean | undefined }) | undefined;
}

/** Whether output can be redrawn: on terminals, except those without control sequences. */
export function canRedraw({ isTTY }: Output): boolean {
  return isTTY === true && process.env.TERM !== "dumb";
}

/**
 * Controls, and the characters that reorder or hide text or render as nothing: those that an approval shows as codes. The joiner
 * within an emoji and the selector after one stay.
 */
const UNPRINTABLE = String.raw`(?!(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)[\ufe0e\ufe0f]|(?<=[\d#*])\ufe0f\u20e3|(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d\p{Extended_Pictographic})[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`;
const unprintable = () => new RegExp(UNPRINTABLE, "gu");

/** Such text skips the check of Unicode properties, whose tables take a millisecond to load. */
const IS_PLAIN = /^[\t\n -~]*$/;

/** Text from a server made safe to show: it cannot move the cursor, change colours or hide anything. */
export function printable(text: string): string {
  if (IS_PLAIN.test(text)) return text;
  return text.replace(unprintable(), (character) =>
    character === "\n" || character === "\t" ? character : "�",
  );
}

/** A message in which a text of a project or a server stands beside ours, made safe to show. */
export function printableMessage(text: string): string {
  const load = () => (require("@jackfield/mcp-config") as typeof import("@jackfield/mcp-config")).visibleText;
  return messageWithCodes(text, load);
}

/** A message as lines for a terminal of that width, which would otherwise break them in the middle of a text that is not ours. */
export function messageLines(text: string, columns: number, cellsOf: (text: string) => number): string {
  const lines = printableMessage(text).split("\n");
  return lines.map((line) => wrapWords(line, columns - 2, cellsOf).join("\n  ")).join("\n");
}

/** A diagnostic's message, with its place in front unless the message contains it; it has to be made printable. */
export function placed({ message, file, line, column }: Diagnostic): string {
  const place = `${file}:${line}:${column}`;
  return line === undefined || message.includes(place) ? message : `${place}: ${message}`;
}

/** Equivalent JSON in which characters that a terminal would obey or hide are escaped. */
export function printableJson(json: string): string {
  if (IS_PLAIN.test(json)) return json;
  return json.replace(unprintable(), (character) => (character === "\n" ? character : escaped(character)));
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/**
 * Breaks a text between words into lines of at most `columns` cells; a word that is longer than a line is broken as well, or the terminal
 * would do it.
 *
 * @param cellsOf - how many cells a text takes
 */
export function wrapWords(
  text: string,
  columns: number,
  cellsOf: (text: string) => number,
): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").flatMap((whole) => piecesOf(whole, columns, cellsOf))) {
    const last = lines.at(-1);
    if (last !== undefined && cellsOf(last) + 1 + cellsOf(word) <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A word in pieces that fit a line. */
function piecesOf(word: string, columns: number, cellsOf: (text: string) => number): readonly string[] {
  if (cellsOf(word) <= columns) return [word];
  const pieces: string[] = [""];
  let cells = 0;
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const width = cellsOf(segment);
    if (cells + width > columns && cells > 0) {
      pieces.push("");
      cells = 0;
    }
    pieces[pieces.length - 1] += segment;
    cells += width;
  }
  return pieces;
}
