import { nodeUtil } from "../builtin-modules.ts";
import type { Terminal } from "./terminal.ts";

/** The width of a terminal that does not report one. */
const USUAL_COLUMNS = 80;

/** The meaning of a text's colour. */
export type Tone = "good" | "bad" | "warning" | "faint";

/** What a result is printed on. */
export interface Page {
  /** How many cells a line holds; `Infinity` for a pipe. */
  readonly columns: number;
  /** The text in a colour, if colours are enabled. */
  paint(tone: Tone, text: string): string;
}

const STYLES = { good: "green", bad: "red", warning: "yellow", faint: "dim" } as const;

/**
 * A terminal has its own width, a pipe none. Node decides about colours: a terminal has them, unless `NO_COLOR` or `TERM` says otherwise; a pipe has
 * none, unless `FORCE_COLOR` says otherwise.
 */
export function pageOf(stdout: Terminal["stdout"]): Page {
  return {
    columns: stdout.isTTY === true ? stdout.columns || USUAL_COLUMNS : Number.POSITIVE_INFINITY,
    paint(tone, text) {
      return nodeUtil.styleText(STYLES[tone], text, { stream: stdout });
    },
  };
}
