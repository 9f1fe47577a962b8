/** A text as a model reads it: in one case and without disguise. */
export interface FoldedText {
  readonly text: string;
  /** Where a character of it stands in the original, in UTF-16 units. */
  readonly origin: (index: number) => number;
}

/** What can be left out without changing how a text reads: format characters, fillers, combining marks. */
const UNSEEN = /[\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u3164\uffa0]/u;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Folds capitals, full-width and mathematical letters and drops invisible characters, so that one plain pattern finds a
 * phrase however it is disguised. Linear in the length of the text.
 */
export function foldText(text: string): FoldedText {
  if (ASCII.test(text)) return { text: text.toLowerCase(), origin: (index) => index };
  const folded: string[] = [];
  const positions: number[] = [];
  let at = 0;
  for (const character of text) {
    const parts = foldCharacter(character);
    if (parts !== "") folded.push(parts);
    for (let unit = 0; unit < parts.length; unit += 1) positions.push(at);
    at += character.length;
  }
  return { text: folded.join(""), origin: (index) => positions[index] ?? text.length };
}

function foldCharacter(character: string): string {
  if (character <= "\x7f") return character.toLowerCase();
  if (UNSEEN.test(character)) return "";
  if (/[\s\p{Z}]/u.test(character)) return " ";
  return character
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{Mn}/gu, "");
}
