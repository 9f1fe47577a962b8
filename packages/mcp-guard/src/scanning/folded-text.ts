import { foldCharacter } from "./folded-character.ts";

/** A text as a model reads it: in one case and without disguise. */
export interface FoldedText {
  readonly text: string;
  /** Where a stretch of it stands in the original, in UTF-16 units. */
  readonly origin: (from: number, to: number) => { readonly index: number; readonly length: number };
}

const ASCII = /^[\0-\x7f]*$/;

/** Whether every character of a text folds to one character in its place. */
export function isPlainText(text: string): boolean {
  return ASCII.test(text);
}

/**
 * Folds capitals, full-width, mathematical and look-alike letters and drops invisible characters, so that one plain pattern
 * finds a phrase however it is disguised. Linear in the length of the text.
 *
 * @param known how characters fold that were met before; added to.
 */
export function foldText(text: string, known: Map<string, string> = new Map()): FoldedText {
  if (ASCII.test(text)) {
    return { text: text.toLowerCase(), origin: (from, to) => ({ index: from, length: to - from }) };
  }
  const folded: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    const letters = foldOnce(character, known);
    const end = at + character.length;
    if (letters !== "") folded.push(letters);
    for (let unit = 0; unit < letters.length; unit += 1) {
      starts.push(at);
      ends.push(end);
    }
    at = end;
  }
  return {
    text: folded.join(""),
    origin: (from, to) => {
      const index = starts[from] ?? text.length;
      return { index, length: (ends[to - 1] ?? index) - index };
    },
  };
}

function foldOnce(character: string, known: Map<string, string>): string {
  if (character <= "\x7f") return character.toLowerCase();
  const before = known.get(character);
  if (before !== undefined) return before;
  const letters = foldCharacter(character);
  known.set(character, letters);
  return letters;
}
