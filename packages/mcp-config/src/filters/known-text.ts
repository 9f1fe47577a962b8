/** A text as far as it can be told before it is used: what stands before, between and behind values that are not known yet. */
export type KnownText = readonly string[];

/** Compares word by word. One of which nothing is known may turn out to be several, as the answer to a question can be. */
export function compareWords(
  known: readonly KnownText[],
  line: readonly unknown[],
): readonly (boolean | undefined)[] {
  const open = known.findIndex(isUnknown);
  if (open === -1) return known.length === line.length ? compareEach(known, line) : [false];
  const behind = known.slice(known.findLastIndex(isUnknown) + 1);
  if (open + behind.length > line.length) return [false];
  const ends = compareEach(behind, line.slice(line.length - behind.length));
  return [undefined, ...compareEach(known.slice(0, open), line), ...ends];
}

function isUnknown(text: KnownText): boolean {
  return text.length > 1 && text.every((part) => part === "");
}

function compareEach(known: readonly KnownText[], line: readonly unknown[]): (boolean | undefined)[] {
  return known.map((text, index) => {
    const word = line[index];
    return typeof word === "string" ? isWord(text, word) : false;
  });
}

/** Whether a text is this word; `undefined` if it can turn out to be. */
function isWord(text: KnownText, word: string): boolean | undefined {
  if (text.length === 1) return text[0] === word;
  return isMadeOf(word, text) ? undefined : false;
}

/** Whether a text has these pieces in this order, with anything between them. Each is taken at its first place, which needs no backtracking. */
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
