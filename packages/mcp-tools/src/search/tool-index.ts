import type { ToolDescriptor } from "@jackfield/mcp-core";
import MiniSearch from "minisearch";
import {
  compact,
  FIELDS,
  type Field,
  fieldsOf,
  type IndexedTool,
  indexedTool,
  ServerTexts,
} from "./indexed-tool.ts";
import { actionsOf } from "./meanings.ts";
import { type ParsedQuery, parseQuery, wordsNaming } from "./query.ts";
import { editDistance, stemOf } from "./words.ts";

/** What a match in a field adds to the score, in proportion. */
const BOOST: Record<Field, number> = {
  name: 2,
  title: 2,
  server: 5,
  summary: 4,
  description: 1.25,
  arguments: 4,
  argumentTexts: 0.1,
  instructions: 0.1,
};
/** How sure a match in a field is to be what a word of the query meant. */
const CERTAINTY: Record<Field, number> = {
  name: 1,
  title: 1,
  server: 0.6,
  summary: 0.85,
  description: 0.4,
  arguments: 0.9,
  argumentTexts: 0.5,
  instructions: 0.3,
};
/** BM25+, found by cross-validation: see docs/tool-search.md. */
const BM25 = { k: 1.6, b: 0.87, d: 0.65 };
const COVERAGE_POWER = 0.55;
const ACTION = { same: 1.3, other: 0.9 };
const NAMED_SERVER = 2.5;
/** A term that more than this share of a large catalog has is not looked for, unless nothing rarer is asked; less, if it only stands for a word. */
const COMMON_SHARE = 0.1;
const FEWEST_TERMS = 2;
/** So many tools are always compared. */
const SMALL = 300;
/** How many of the best are compared with the query by their whole names. */
const MOST_COMPARED = 200;
/** How many are put in order. */
const MOST_RANKED = 500;
/** A query longer than this, in words, is no name. */
const LONGEST_NAME = 6;
/** The evidence that makes a tool an answer, so that a query that no tool answers finds nothing. See docs/tool-search.md. */
const LEAST_EVIDENCE = 0.25;
/** With fewer tools less is asked for: no word is rare there, and a wrong answer costs little. */
const LARGE_CATALOG = 300;
const LESS_EVIDENCE = 0.75;
/** One of so many of the best must have it. */
const MOST_WEIGHED = 5;
/**
 * What speaks for a tool beside what was found of the query, in words that one tool alone has: that the query is much like its name; and
 * against it: the most telling word that was not found, and the share of a command that was not.
 */
const EVIDENCE = { likeName: 0.85, missing: -0.35, uncommanded: -0.55 };
/** A tool that has so much of what was asked, its server's name aside, is an answer. */
const ALL_FOUND = 0.8;
/** How surely a tool that does what the first word of a query says is meant by that word. */
const COMMANDED = 0.6;

/** A tool that a query found. */
export interface ToolHit {
  readonly tool: ToolDescriptor;
  readonly score: number;
  /** Whether the query names its server. */
  readonly isNamed: boolean;
}

/** What a query found. */
export interface FoundTools {
  /** The best first. */
  readonly hits: readonly ToolHit[];
  /** Whether any of them is likely to be what was asked for. */
  readonly isAnswered: boolean;
}

/** An index of tools. It takes up changes in steps, so that a large catalog does not hold up a program. */
export class ToolIndex {
  readonly #index = new MiniSearch<Record<Field, string> & { readonly id: number }>({
    fields: [...FIELDS],
    tokenize: (text) => text.split(" "),
    processTerm: (term) => (term === "" ? null : term),
    searchOptions: { combineWith: "OR", boost: BOOST, bm25: BM25 },
  });
  readonly #tools = new Map<number, IndexedTool & { readonly fields: Record<Field, string> }>();
  readonly #ids = new Map<ToolDescriptor, number>();
  readonly #byName = new Map<string, Set<number>>();
  /** How many tools have a term. */
  readonly #counts = new Map<string, number>();
  /** The terms by their first letter, and by their second. */
  readonly #byLetter = new Map<string, Set<string>>();
  /** The names of servers, without case and separators. */
  #servers = new Set<string>();
  #nextId = 1;
  #toRemove: ToolDescriptor[] = [];
  #toAdd: ToolDescriptor[] = [];
  #texts = new Map<string, ServerTexts>();
  #offered: readonly ToolDescriptor[] = [];
  #instructions: (server: string) => string | undefined = () => undefined;

  /** How many changes are not taken up yet. */
  get pending(): number {
    return this.#toRemove.length + this.#toAdd.length;
  }

  /**
   * Says which tools there are now. Takes up nothing yet: see `work`.
   *
   * @param instructions - those of a server
   */
  follow(
    offered: readonly ToolDescriptor[],
    instructions: (server: string) => string | undefined = () => undefined,
  ): void {
    if (offered === this.#offered) return;
    this.#offered = offered;
    this.#instructions = instructions;
    const wanted = new Set(offered);
    this.#servers = new Set([...new Set(offered.map(({ server }) => server))].map(compact));
    this.#toRemove = [...this.#ids.keys()].filter((tool) => !wanted.has(tool));
    this.#toAdd = offered.filter((tool) => !this.#ids.has(tool));
    this.#texts.clear();
  }

  /** Takes up changes, one after another, until none is left or it is told to stop. */
  work(isOver: () => boolean = () => false): void {
    while (this.pending > 0) {
      const gone = this.#toRemove.pop();
      if (gone !== undefined) this.#remove(gone);
      else this.#add(this.#toAdd.pop() as ToolDescriptor);
      if (isOver()) return;
    }
    this.#texts.clear();
  }

  /** The tools that a query means, best first. @param isWanted - whether a tool may be found */
  search(query: string, isWanted: (tool: ToolDescriptor) => boolean = () => true): FoundTools {
    this.work();
    const parsed = parseQuery(query, {
      size: this.#tools.size,
      counts: this.#counts,
      servers: this.#servers,
      near: (word) => new Set(lettersOf(word).flatMap((letter) => [...(this.#byLetter.get(letter) ?? [])])),
    });
    const looked = this.#telling(parsed);
    const found = this.#scored(parsed, looked, isWanted);
    const isName = parsed.length <= LONGEST_NAME;
    for (const id of this.#byName.get(parsed.whole) ?? []) {
      const known = this.#tools.get(id);
      if (known !== undefined && isWanted(known.tool) && !found.some((hit) => hit.id === id))
        found.push({ id, known, score: 0, certainties: [], likeness: 0, naming: [] });
    }
    const best = bestOf(found);
    for (const hit of best.slice(0, MOST_COMPARED)) {
      if (isName || hit.known.names.includes(parsed.whole))
        hit.likeness = likenessOf(parsed.whole, hit.known.names);
      hit.score *= 1 + hit.likeness;
      if (hit.likeness >= 0.8) hit.score += hit.likeness === 1 ? 1e6 : 1e3 * hit.likeness;
    }
    best.sort(byScore);
    const isAnswered = best
      .slice(0, MOST_WEIGHED)
      .some((hit) => this.#evidenceFor(hit, parsed, looked) >= this.#leastEvidence);
    const hits = best.map(({ known: { tool }, score, naming }) => ({
      tool,
      score,
      isNamed: naming.includes(true),
    }));
    return { hits, isAnswered };
  }

  #scored(
    query: ParsedQuery,
    looked: ReadonlySet<string>,
    isWanted: (tool: ToolDescriptor) => boolean,
  ): Scored[] {
    const { words, terms, actions } = query;
    const total = words.reduce((sum, { weight }) => sum + weight, 0);
    if (looked.size === 0 || total === 0) return [];
    const named = new Map<string, readonly boolean[]>();
    const namingOf = (server: string) => {
      const known = named.get(server) ?? wordsNaming(server, query);
      named.set(server, known);
      return known;
    };
    const hits = this.#index.search([...looked].join(" "), {
      boostTerm: (term) => terms.get(term) ?? 1,
      filter: ({ id }) => isWanted((this.#tools.get(id) as IndexedTool).tool),
    });
    return hits.map(({ id, score: bm25, match }) => {
      const known = this.#tools.get(id) as IndexedTool;
      const certainties = certaintiesOf(query, match);
      let found = 0;
      for (const [word, { weight }] of words.entries()) found += (certainties[word] ?? 0) * weight;
      let score = bm25 * (found / total) ** COVERAGE_POWER;
      const [action] = known.actions;
      if (actions.size > 0 && action !== undefined) score *= actions.has(action) ? ACTION.same : ACTION.other;
      const naming = namingOf(known.tool.server);
      if (naming.includes(true)) score *= NAMED_SERVER;
      return { id, known, score, certainties, likeness: 0, naming };
    });
  }

  get #leastEvidence(): number {
    const smallness = 1 - Math.min(1, Math.log(1 + this.#tools.size) / Math.log(1 + LARGE_CATALOG));
    return LEAST_EVIDENCE - LESS_EVIDENCE * smallness;
  }

  /** What speaks for a tool to be what is asked for. That its server is named says nothing: it may have no such tool. */
  #evidenceFor(hit: Scored, query: ParsedQuery, looked: ReadonlySet<string>): number {
    const { known, certainties, likeness, naming } = hit;
    const { words, beginsWithContent, isCommand } = query;
    const verbs = beginsWithContent && words[0] !== undefined ? actionsOf(stemOf(words[0].word)) : [];
    const isCommanded = verbs.some((action) => known.actions.includes(action));
    const sums = { found: 0, own: 0, ownFound: 0, missing: 0 };
    for (const [word, { weight, terms }] of words.entries()) {
      const certainty = certainties[word] ?? 0;
      const found = weight * (word === 0 && isCommanded ? Math.max(COMMANDED, certainty) : certainty);
      sums.found += found;
      const isCommon = terms.size > 0 && ![...terms.keys()].some((term) => looked.has(term));
      if (naming[word] === true || isCommon) continue;
      sums.own += weight;
      sums.ownFound += found;
      if (word > 0 || verbs.length === 0) sums.missing = Math.max(sums.missing, weight - weight * certainty);
    }
    // Where tools are alike no word is telling, but nothing else was asked.
    if (sums.ownFound >= ALL_FOUND * sums.own) return Number.POSITIVE_INFINITY;
    const rarest = Math.log(1 + this.#tools.size);
    let evidence = (sums.found + EVIDENCE.missing * sums.missing) / rarest;
    if (isCommand && sums.own > 0) evidence += EVIDENCE.uncommanded * (1 - sums.ownFound / sums.own);
    if (likeness >= 0.6) evidence += EVIDENCE.likeName;
    return evidence;
  }

  /** The terms to look for: not those of a large part of the catalog. If there are no others, those that the fewest tools have. */
  #telling({ terms }: ParsedQuery): ReadonlySet<string> {
    const countOf = (term: string) => this.#counts.get(term) ?? 0;
    const telling = [...terms].filter(
      ([term, worth]) => countOf(term) <= Math.max(SMALL, COMMON_SHARE * worth * this.#tools.size),
    );
    const rarest = [...terms.keys()].sort((one, other) => countOf(one) - countOf(other));
    return new Set(telling.length > 0 ? telling.map(([term]) => term) : rarest.slice(0, FEWEST_TERMS));
  }

  #add(tool: ToolDescriptor): void {
    const id = this.#nextId;
    this.#nextId += 1;
    const fields = fieldsOf(tool, this.#textsOf(tool.server), this.#instructions(tool.server));
    const known = { ...indexedTool(tool), fields };
    this.#index.add({ id, ...fields });
    this.#tools.set(id, known);
    this.#ids.set(tool, id);
    for (const name of known.names)
      this.#byName.set(name, (this.#byName.get(name) ?? new Set<number>()).add(id));
    for (const term of termsIn(fields)) {
      const count = this.#counts.get(term) ?? 0;
      this.#counts.set(term, count + 1);
      if (count > 0) continue;
      for (const letter of lettersOf(term))
        this.#byLetter.set(letter, (this.#byLetter.get(letter) ?? new Set<string>()).add(term));
    }
  }

  #remove(tool: ToolDescriptor): void {
    const id = this.#ids.get(tool);
    const known = id === undefined ? undefined : this.#tools.get(id);
    if (id === undefined || known === undefined) return;
    this.#index.remove({ id, ...known.fields });
    this.#tools.delete(id);
    this.#ids.delete(tool);
    for (const name of known.names) {
      const ids = this.#byName.get(name);
      ids?.delete(id);
      if (ids?.size === 0) this.#byName.delete(name);
    }
    for (const term of termsIn(known.fields)) {
      const count = (this.#counts.get(term) ?? 0) - 1;
      if (count > 0) this.#counts.set(term, count);
      else {
        this.#counts.delete(term);
        for (const letter of lettersOf(term)) this.#byLetter.get(letter)?.delete(term);
      }
    }
  }

  #textsOf(server: string): ServerTexts {
    const known =
      this.#texts.get(server) ?? new ServerTexts(this.#offered.filter((tool) => tool.server === server));
    this.#texts.set(server, known);
    return known;
  }
}

/** How surely each word of a query was found: by the best match of it. */
function certaintiesOf(
  { words, uses }: ParsedQuery,
  match: Readonly<Record<string, readonly string[]>>,
): Float64Array {
  const best = new Float64Array(words.length);
  for (const term in match) {
    let certainty = 0;
    for (const field of match[term] ?? []) certainty = Math.max(certainty, CERTAINTY[field as Field]);
    for (const [word, worth] of uses.get(term) ?? [])
      if (worth * certainty > (best[word] ?? 0)) best[word] = worth * certainty;
  }
  return best;
}

/** The best, in order. To sort all of ten thousand would take longer than the search. */
function bestOf(found: readonly Scored[]): Scored[] {
  if (found.length <= MOST_RANKED) return [...found].sort(byScore);
  const scores = Float64Array.from(found, ({ score }) => score).sort();
  const least = scores[scores.length - MOST_RANKED] ?? 0;
  return found.filter(({ score }) => score >= least).sort(byScore);
}

interface Scored {
  readonly id: number;
  readonly known: IndexedTool;
  score: number;
  /** How surely each word of the query was found. */
  readonly certainties: ArrayLike<number>;
  /** How much the query looks like its name. */
  likeness: number;
  /** Which words of the query name its server. */
  readonly naming: readonly boolean[];
}

/** Of equals, the first by name, so that the same catalog always gives the same answer. */
function byScore(one: Scored, other: Scored): number {
  return other.score - one.score || (one.known.tool.name < other.known.tool.name ? -1 : 1);
}

/** The first two letters of a word, each with its place. */
function lettersOf(word: string): readonly string[] {
  return [`1${word[0]}`, `2${word[1]}`];
}

function termsIn(fields: Record<Field, string>): ReadonlySet<string> {
  return new Set(FIELDS.flatMap((field) => (fields[field] === "" ? [] : fields[field].split(" "))));
}

/** How much a query looks like the name of a tool: 1 if it is one, 0 if not at all. */
function likenessOf(whole: string, names: readonly string[]): number {
  let best = 0;
  for (const name of names) {
    if (name === whole) return 1;
    const most = Math.max(1, Math.floor(Math.min(name.length, whole.length) / 6));
    const distance = editDistance(whole, name, most);
    if (distance <= most) best = Math.max(best, 0.95 - distance * 0.02);
    if (whole.length >= 5 && name.includes(whole))
      best = Math.max(best, 0.4 + (0.4 * whole.length) / name.length);
    if (name.length >= 5 && whole.includes(name))
      best = Math.max(best, 0.3 + (0.5 * name.length) / whole.length);
  }
  return best;
}
