/** A text with unknown values in it: its pieces before, between and after them. A single piece is a text that is fully known. */
export type KnownText = readonly string[];

/** A word that consists of an input alone: it becomes an argument for each answer, or none at all. No other word becomes several. */
export const WHOLE_INPUT: KnownText = ["", ""];

/** Compares word by word; `undefined` stands for words that may turn out to match. */
export function compareWords(
  known: readonly KnownText[],
  line: readonly unknown[],
): readonly (boolean | undefined)[] {
  const open = known.indexOf(WHOLE_INPUT);
  if (open === -1) return known.length === line.length ? compareEach(known, line) : [false];
  const behind = known.slice(known.lastIndexOf(WHOLE_INPUT) + 1);
  if (open + behind.length > line.length) return [false];
  const ends = compareEach(behind, line.slice(line.length - behind.length));
  return [undefined, ...compareEach(known.slice(0, open), line), ...ends];
}

function compareEach(known: readonly KnownText[], line: readonly unknown[]): (boolean | undefined)[] {
  return known.map((text, index) => {
    const word = line[index];
    return typeof word === "string" ? isWord(text, word) : false;
  });
}

/** Whether a text is this word; `undefined` if it may turn out to be. */
function isWord(text: KnownText, word: string): boolean | undefined {
  if (text.length === 1) return text[0] === word;
  return isMadeOf(word, text) ? undefined : false;
}

/** Words as one text, with a space between any two. */
export function joinWords(words: readonly KnownText[]): KnownText {
  const [first = [""], ...others] = words;
  const joined = [...first];
  for (const [beginning = "", ...rest] of others) {
    joined.push(`${joined.pop()} ${beginning}`);
    for (const piece of rest) joined.push(piece);
  }
  return joined;
}

/** Whether a text has these pieces, or may turn out to have them. */
export function mayBeMadeOf(text: KnownText, pieces: readonly string[]): boolean {
  const [beginning = "", end = ""] = [text[0], text.at(-1)];
  if (text.length === 1) return isMadeOf(beginning, pieces);
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return isMadeOf(first, text);
  // If both have gaps, the other pieces of each fit into a gap of the other.
  const doBeginAlike = beginning.startsWith(first) || first.startsWith(beginning);
  return doBeginAlike && (end.endsWith(last) || last.endsWith(end));
}

/** Whether a text has these pieces in this order, with anything between them. Taking each at its first occurrence needs no backtracking. */
export function isMadeOf(text: string, [first = "", ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
