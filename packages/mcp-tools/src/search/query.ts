import { serverStems } from "./indexed-tool.ts";
import { actionsOf, longForm, sameMeaning } from "./meanings.ts";
import { editDistance, isContent, stemOf, wordsOf } from "./words.ts";

/** How much a term counts that stands for a word of the query. */
const WORTH = {
  itself: 1,
  longForm: 0.9,
  sameMeaning: 0.5,
  misspelt: 0.4,
  beginning: 0.3,
  twiceMisspelt: 0.2,
  action: 0.15,
};
/** Words of a query beyond this are not looked at. */
const MOST_WORDS = 60;

/** So many words without one that only joins them are keywords. */
const MOST_KEYWORDS = 3;

/** A word of a query. */
export interface QueryWord {
  readonly word: string;
  /** How much the word tells: much if few tools have it. */
  readonly weight: number;
  /** The terms of the index that stand for it, and how much each counts. */
  readonly terms: ReadonlyMap<string, number>;
}

/** A query, in the terms of an index. */
export interface ParsedQuery {
  /** The whole query without case and separators. */
  readonly whole: string;
  /** How many words it has, stop words included. */
  readonly length: number;
  readonly words: readonly QueryWord[];
  /** Whether it begins with a word that tells something. */
  readonly beginsWithContent: boolean;
  /** Whether it is a sentence that begins so, not some keywords: a command, mostly. */
  readonly isCommand: boolean;
  /** The actions that it may ask for. */
  readonly actions: ReadonlySet<string>;
  /** The best worth of each term. */
  readonly terms: ReadonlyMap<string, number>;
  /** For which words a term stands, by their place, and what it is worth for each. */
  readonly uses: ReadonlyMap<string, readonly (readonly [word: number, worth: number])[]>;
}

/** What a query is read against. */
export interface Vocabulary {
  /** How many tools there are. */
  readonly size: number;
  /** How many of them have a term. */
  readonly counts: ReadonlyMap<string, number>;
  /** The terms that have the first letter of a word, or its second at the second place: nobody misspells both. */
  near(word: string): Iterable<string>;
  /** The names of servers, without case and separators. */
  readonly servers: Pick<ReadonlySet<string>, "has">;
}

export function parseQuery(query: string, vocabulary: Vocabulary): ParsedQuery {
  const { all, parts } = withServersJoined(wordsOf(query).slice(0, MOST_WORDS), vocabulary);
  const content = [...new Set(all.filter(isContent))];
  const words = (content.length > 0 ? content : [...new Set(all)]).map((word) => ({
    word,
    weight: weightOf(stemOf(word), vocabulary),
    terms: termsFor(word, vocabulary, parts.get(word)),
  }));
  for (const [index, word] of all.entries()) joinNext(word, all[index + 1], words, vocabulary);
  const terms = new Map<string, number>();
  const uses = new Map<string, (readonly [number, number])[]>();
  for (const [index, { terms: own }] of words.entries())
    for (const [term, worth] of own) {
      terms.set(term, Math.max(worth, terms.get(term) ?? 0));
      uses.set(term, [...(uses.get(term) ?? []), [index, worth]]);
    }
  const actions = new Set(words.flatMap(({ word }) => actionsOf(stemOf(word))));
  const beginsWithContent = all[0] !== undefined && words[0]?.word === all[0];
  const isCommand = beginsWithContent && (content.length < all.length || content.length > MOST_KEYWORDS);
  const whole = all.join("");
  return { whole, length: all.length, words, beginsWithContent, isCommand, actions, terms, uses };
}

/** Which words of a query name a server: by a word of its name, or the beginning of one. */
export function wordsNaming(server: string, { words }: ParsedQuery): readonly boolean[] {
  const own = serverStems(server).filter((stem) => stem.length > 1);
  return words.map(
    ({ word }) =>
      own.includes(stemOf(word)) || (word.length > 3 && own.some((stem) => stem.startsWith(word))),
  );
}

/** The words of a query in which the name of a server is one, however it is written ("GitHub", "circle ci"), and the terms for those. */
function withServersJoined(words: readonly string[], { servers }: Vocabulary) {
  const all: string[] = [];
  const parts = new Map<string, readonly string[]>();
  for (let start = 0; start < words.length; ) {
    const named = [3, 2]
      .map((length) => words.slice(start, start + length))
      .find((some) => some.length > 1 && servers.has(some.join("")));
    const word = named?.join("") ?? (words[start] as string);
    if (named !== undefined) parts.set(word, [word, ...named.map(stemOf)]);
    all.push(word);
    start += named?.length ?? 1;
  }
  return { all, parts };
}

/** A word that few tools have says more about which is meant. */
function weightOf(stem: string, { size, counts }: Vocabulary): number {
  return Math.log(1 + size / (1 + (counts.get(stem) ?? 0)));
}

function termsFor(word: string, vocabulary: Vocabulary, parts: readonly string[] = []): Map<string, number> {
  const { counts } = vocabulary;
  const stem = stemOf(word);
  const terms = new Map<string, number>();
  const put = (term: string, worth: number) => {
    if (counts.has(term) && (terms.get(term) ?? 0) < worth) terms.set(term, worth);
  };
  put(stem, WORTH.itself);
  for (const part of parts) put(part, WORTH.itself);
  for (const term of longForm(stem)) put(term, WORTH.longForm);
  for (const term of sameMeaning(stem)) put(term, WORTH.sameMeaning);
  for (const action of actionsOf(stem)) put(stemOf(action), WORTH.action);
  if (!terms.has(stem) && stem.length > 3)
    for (const [term, worth] of similarTerms(stem, vocabulary)) put(term, worth);
  return terms;
}

/** The terms that begin with an unknown word, or may be what was meant by a misspelt one. */
function similarTerms(stem: string, vocabulary: Vocabulary): readonly [string, number][] {
  const most = stem.length > 7 ? 2 : 1;
  const found: [string, number][] = [];
  for (const term of vocabulary.near(stem)) {
    if (stem.length > 4 && term.startsWith(stem)) found.push([term, WORTH.beginning]);
    else {
      const distance = editDistance(stem, term, most);
      if (distance <= most) found.push([term, distance === 1 ? WORTH.misspelt : WORTH.twiceMisspelt]);
    }
  }
  return found;
}

/** Two words of the query may be one in the catalog: "next js", "sub group". */
function joinNext(
  word: string,
  next: string | undefined,
  words: readonly (QueryWord & { readonly terms: Map<string, number> })[],
  { counts }: Vocabulary,
): void {
  if (next === undefined) return;
  const joined = stemOf(`${word}${next}`);
  if (!counts.has(joined)) return;
  for (const known of words)
    if (known.word === word || known.word === next) known.terms.set(joined, WORTH.itself);
}
