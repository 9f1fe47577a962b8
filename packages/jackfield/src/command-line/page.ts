import { styleText } from "node:util";
import type { Terminal } from "./terminal.ts";

/** A terminal that does not tell how wide it is. */
const USUAL_COLUMNS = 80;

/** What a text may mean by its colour. */
export type Tone = "good" | "bad" | "doubtful" | "faint";

/** What a result is printed on. */
export interface Page {
  /** How many characters a line holds; `Infinity` where nobody looks, such as in a pipe. */
  readonly columns: number;
  /** The text in a colour, where there are colours. */
  paint(tone: Tone, text: string): string;
}

const STYLES = { good: "green", bad: "red", doubtful: "yellow", faint: "dim" } as const;

/** A terminal has its own width, and colours unless `NO_COLOR` or `TERM` says otherwise; a pipe has neither. */
export function pageOf(stdout: Terminal["stdout"]): Page {
  const isTerminal = stdout.isTTY === true;
  const isColoured = isTerminal && stdout.hasColors?.() === true;
  return {
    columns: isTerminal ? stdout.columns || USUAL_COLUMNS : Number.POSITIVE_INFINITY,
    paint: (tone, text) => (isColoured ? styleText(STYLES[tone], text, { validateStream: false }) : text),
  };
}
