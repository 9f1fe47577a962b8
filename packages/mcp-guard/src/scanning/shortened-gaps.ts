import { latePattern } from "../late-pattern.ts";
import { UNSEEN, WHITE_SPACE } from "./folded-character.ts";

/** A text with each long gap shortened to one character. */
export interface ShortenedText {
  readonly text: string;
  /** Maps an index of `text` to the original, in UTF-16 units. */
  readonly origin: (index: number) => number;
}

/** Long runs of white space and of characters that are not seen; indented code rarely has longer ones. */
const longGaps = latePattern(`[${WHITE_SPACE}${UNSEEN}]{16,}`, "gu");
const whiteSpace = latePattern(`[${WHITE_SPACE}]`, "u");
const INVISIBLE = "\u200b";

/**
 * Shortens long gaps, so that a phrase cannot be pulled apart until no part of the text holds it whole. A gap becomes a newline
 * if it holds one, else a space, or else an invisible character. Linear in the length of the text.
 */
export function shortenGaps(text: string): ShortenedText {
  const parts: string[] = [];
  /** Where the text goes on behind each gap: in the shortened text, and in the original. */
  const shortened: number[] = [];
  const original: number[] = [];
  let length = 0;
  let from = 0;
  for (const { index, 0: gap } of text.matchAll(longGaps())) {
    parts.push(text.slice(from, index), gap.includes("\n") ? "\n" : whiteSpace().test(gap) ? " " : INVISIBLE);
    length += index - from + 1;
    from = index + gap.length;
    shortened.push(length);
    original.push(from);
  }
  if (from === 0) return unshortened(text);
  return {
    text: parts.join("") + text.slice(from),
    origin: (index) => {
      const gap = lastUpTo(shortened, index);
      return gap < 0 ? index : index + (original[gap] ?? 0) - (shortened[gap] ?? 0);
    },
  };
}

/** A text as it is. */
export function unshortened(text: string): ShortenedText {
  return { text, origin: (index) => index };
}

/** The place of the last of some ascending numbers that is not greater than a limit; -1 if there is none. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
