/**
 * Words that say nothing about which tool is meant: English function words, what people put around a request, and what descriptions of
 * tools put around a subject.
 */
const STOP_WORDS = new Set(
  `a about above after again all also although always am an and any anybody anyone anything are around as at be because been before being
  below between both but by can cannot could did do does doing done down during each either else etc even ever every everybody everyone
  everything few for from further had has have having he her here hers him his how however i if in inside into is it its itself just kindly
  let lets like many may maybe me might mine more most much must my myself need needs neither never no nobody none nor not nothing now of off
  okay on once one only onto or other others our ours out outside over own please quite rather really same shall she should since so some
  somebody someone something somewhere soon still such sure than that thats the their theirs them themselves then there these they thing
  things this those though through thus till to too toward towards under unless until up upon us use used uses using very via want wants was we
  were what whatever when where whether which while who whoever whom whose why will with within without wont would yes yet you your yours
  able actually already along another anyway away bit came come comes coming does doesnt dont eg exactly get gets getting give given
  gives go goes going gone got happen happened happening happens help helps ie im ive id kind know knows lot make makes making mean means
  mcp tool tools function functions provide provides provided return returns returned specified specific certain given based allow allows
  currently today tomorrow yesterday week tonight morning night last next first second third`.split(/\s+/),
);

/** Splits identifiers and prose into lower-case words: at case, separators and digits. Letters of any script are kept. */
export function wordsOf(text: string): string[] {
  const isPlain = /^[\0-\x7f]*$/.test(text);
  const letters = isPlain ? text : text.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("’", "'");
  const split = letters
    .replace(/'(?:s|t|re|ve|ll|d|m)\b/g, "")
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4");
  return split.toLowerCase().match(isPlain ? PLAIN_WORD : WORD) ?? [];
}

const PLAIN_WORD = /[a-z]+\d*|\d+/g;
/** Scripts without spaces between words are split into their characters, or runs of a kind. */
const WORD = /\p{Script=Han}|\p{Script=Hiragana}+|\p{Script=Katakana}+|\p{L}+\d*|\d+/gu;

/** A word is content if it may tell tools apart. */
export function isContent(word: string): boolean {
  return !STOP_WORDS.has(word) && !/^\d+$/.test(word) && (word.length > 1 || /\P{ASCII}/u.test(word));
}

/**
 * The stem of a word: its plural, tenses and the noun of a verb become one. Lighter than Porter's: what two words share must be enough to
 * read.
 */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const known = STEMS.get(word);
  if (known !== undefined) return known;
  const stem = stemmed(word);
  if (STEMS.size < MOST_STEMS) STEMS.set(word, stem);
  return stem;
}

const STEMS = new Map<string, string>();
const MOST_STEMS = 20_000;
const VOWEL = /[aeiouy]/;

function stemmed(word: string): string {
  let stem = word
    .replace(/isation(s?)$/, "ization$1")
    .replace(/is(e|es|ed|ing)$/, (whole, end: string) => (word.length > 7 ? `iz${end}` : whole))
    .replace(/^(col|fav|behavi|lab|neighb)our/, "$1or")
    .replace(/^cent(re)(?=s?$)/, "center")
    .replace(/catalogue/, "catalog")
    .replace(/dialogue/, "dialog");
  if (stem.endsWith("sses")) stem = stem.slice(0, -2);
  else if (stem.endsWith("ies") && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:[sxz]|ch|sh)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^suai]s$/.test(stem)) stem = stem.slice(0, -1);
  const before = stem;
  if (stem.length > 5 && stem.endsWith("ing")) stem = stem.slice(0, -3);
  else if (stem.length > 4 && stem.endsWith("ied")) stem = `${stem.slice(0, -3)}y`;
  else if (stem.length > 4 && stem.endsWith("ed") && !stem.endsWith("eed")) stem = stem.slice(0, -2);
  if (!VOWEL.test(stem)) stem = before;
  else if (stem !== before) stem = stem.replace(/([bdfgkmnprt])\1$/, "$1");
  stem = stem.replace(/(?<=\w{4})ly$/, "").replace(/(?<=[a-z]{3})(at|ct|pt|et|it|ut)ion$/, "$1");
  stem = stem.replace(/(?<=\w{4})(?:ment|er|or)$/, "");
  return stem.replace(/(?<=\w{2})e$/, "").replace(/(?<=\w{3})y$/, "i");
}

/** How many edits, with neighbours swapped as one, lead from one word to the other; at most `most + 1`. */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let older: number[] = [];
  let old = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      let cost = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (old[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, (older[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    older = old;
    old = row;
  }
  return old[other.length] ?? most + 1;
}
