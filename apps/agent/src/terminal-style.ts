import { WriteStream } from "node:tty";
import { styleText } from "node:util";

/** Styles text; each function returns its text unchanged if colours are off. */
export interface TerminalStyle {
  dim(text: string): string;
  bold(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

/**
 * Node decides about colours: a terminal has them, unless `NO_COLOR` or `TERM` turns them off; other output has none, unless
 * `FORCE_COLOR` turns them on.
 */
export function terminalStyle(
  stream: { readonly isTTY?: boolean | undefined },
  environment: { readonly [name: string]: string | undefined },
): TerminalStyle {
  const mayColour = stream.isTTY === true || environment.FORCE_COLOR !== undefined;
  const coloured = mayColour && WriteStream.prototype.getColorDepth({ ...environment }) > 1;
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text;
  return { dim: paint("dim"), bold: paint("bold"), good: paint("green"), bad: paint("red") };
}

/**
 * A text from a model or a server without control characters, which could move the cursor, rewrite earlier lines or talk
 * to the terminal. Line breaks and tabs stay.
 */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}

/** What is not seen, or changes how the text around it is shown. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text that somebody decides by: what is not seen, or changes how the rest is shown, appears as its code. */
export function withCodes(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
