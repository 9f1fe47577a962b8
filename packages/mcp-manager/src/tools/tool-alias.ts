import { createTimeSlices, type TimeSlices, type ToolDescriptor } from "@jackfield/mcp-core";

/** A tool that a server has, whether or not it is on offer. */
export interface KnownTool {
  readonly originalName: string;
  /** The exposed name, if it has one. */
  readonly name: string | undefined;
}

/** The tools among which names are looked up. */
export interface AliasedTools {
  /** Servers whose tools are known. */
  servers(): Iterable<string>;
  /** Every tool of the server's list, including those that are kept back. */
  known(server: string): Iterable<KnownTool>;
  /** The tool, if it is on offer. */
  find(server: string, originalName: string): ToolDescriptor | undefined;
}

/** Prefixes that frameworks and models put before a tool's name, as in `functions.mcp__docs__search` or `default_api:search`. */
const FRAMEWORK_PREFIX = /^(?:functions?|tools?|default_api|namespace)[.:/]+/i;
/** The number of the call, which some models append. */
const CALL_NUMBER = /:\d+$/;
const HASH_SUFFIX = /_[0-9a-f]{8}$/;
const HASH_LENGTH = 8;
/** A shorter name was not truncated by a model: a longer one that begins with it is another tool. */
const LEAST_TRUNCATED_LENGTH = 48;
/** Names are compared up to here; no model writes a longer one. */
const LONGEST_COMPARED = 512;
/** Suggestions are looked for by this much of a name. */
const LONGEST_SUGGESTED = 128;
/** The least likeness of a suggested name, from 0 to 1. */
const LEAST_LIKENESS = 0.4;
/** How many entries of the index one suggestion looks at, however many tools there are, and how many tools it compares. */
const MOST_VISITED = 10_000;
const MOST_COMPARED = 50;

/** Several tools have this form of a name. */
const SEVERAL = -1;

/** One server's tools by everything they may be called. Tools are numbered in the order of their list. */
interface ServerIndex {
  readonly tools: readonly KnownTool[];
  /** The number of the tool by each form of its names, or `SEVERAL`. */
  readonly forms: ReadonlyMap<string, number>;
  /** Forms that are long enough to be cut off by a model, in order. */
  readonly long: readonly { readonly form: string; readonly tool: number }[];
  /** Numbers of tools by the pairs of neighbouring characters in their names. */
  readonly pairs: ReadonlyMap<string, readonly number[]>;
}

/**
 * Finds tools by names that none of them has. A model may write any name at any time, so names are looked up in an index: it is made at
 * the first unknown name, server by server and in slices of time, and a server's part is made again only after its tools have changed.
 */
export class ToolAliases {
  readonly #tools: AliasedTools;
  readonly #indexes = new Map<string, ServerIndex>();
  /** Servers whose tools have changed since they were indexed. */
  readonly #outdated = new Set<string>();
  #indexing: Promise<void> | undefined;

  constructor(tools: AliasedTools) {
    this.#tools = tools;
  }

  /**
   * The tool that a model must have meant by an unknown name. Tolerates another case, `.` `-` `_` `/` `:` exchanged or repeated, a
   * missing server name or `mcp`, a framework's prefix, a lost hash, and a long name cut off ([L32]).
   *
   * @returns `undefined` unless exactly one tool fits. Tools that are kept back fit as well, so that a call of one never becomes a call
   * of a similar tool; they are never returned.
   */
  async repaired(asked: string): Promise<ToolDescriptor | undefined> {
    const readings = readingsOf(asked);
    if (readings.length === 0) return undefined;
    await this.#indexAll();
    let meant: { readonly server: string; readonly tool: number } | undefined;
    for (const [server, index] of this.#indexes) {
      for (const tool of readings.flatMap((reading) => toolsCalled(reading, index))) {
        const isSame = meant?.server === server && meant.tool === tool;
        if (tool === SEVERAL || (meant !== undefined && !isSame)) return undefined;
        meant = { server, tool };
      }
    }
    const known = meant && this.#indexes.get(meant.server)?.tools[meant.tool];
    return known && meant && this.#tools.find(meant.server, known.originalName);
  }

  /** The tools on offer with names most like the one asked for, at most three, best first. @param server - only this server's; default: all */
  async nearest(asked: string, server?: string): Promise<readonly ToolDescriptor[]> {
    await this.#indexAll();
    const wanted = pairsOf(comparable(asked.slice(0, LONGEST_SUGGESTED)));
    const own = server === undefined ? undefined : this.#indexes.get(server);
    const indexes: readonly (readonly [string, ServerIndex | undefined])[] =
      server === undefined ? [...this.#indexes] : [[server, own]];
    const most = Math.max(MOST_COMPARED, Math.floor(MOST_VISITED / Math.max(1, indexes.length)));
    const candidates: { readonly tool: ToolDescriptor; readonly shared: number }[] = [];
    for (const [name, index] of indexes) {
      for (const [number, shared] of index === undefined ? [] : likeliest(wanted, index, most)) {
        const tool = this.#tools.find(name, index?.tools[number]?.originalName ?? "");
        if (tool !== undefined) candidates.push({ tool, shared });
      }
    }
    return candidates
      .sort((a, b) => b.shared - a.shared || (a.tool.name < b.tool.name ? -1 : 1))
      .slice(0, MOST_COMPARED)
      .map(({ tool }) => ({ tool, likeness: likenessOf(wanted, tool) }))
      .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
      .sort((a, b) => b.likeness - a.likeness || (a.tool.name < b.tool.name ? -1 : 1))
      .slice(0, 3)
      .map(({ tool }) => tool);
  }

  /** The server's tools have changed. */
  forget(server: string): void {
    this.#outdated.add(server);
  }

  /** Callers that come while the index is made share the work. */
  #indexAll(): Promise<void> {
    this.#indexing ??= this.#indexMissing().finally(() => {
      this.#indexing = undefined;
    });
    return this.#indexing;
  }

  async #indexMissing(): Promise<void> {
    const slices = createTimeSlices();
    const servers = new Set(this.#tools.servers());
    for (const server of servers) {
      if (this.#indexes.has(server) && !this.#outdated.has(server)) continue;
      this.#outdated.delete(server);
      const index = await indexOf(server, [...this.#tools.known(server)], slices);
      this.#indexes.set(server, index); // If its tools have changed meanwhile, `find` knows those that are left.
    }
    for (const server of this.#indexes.keys()) if (!servers.has(server)) this.#indexes.delete(server);
  }
}

async function indexOf(
  server: string,
  tools: readonly KnownTool[],
  slices: TimeSlices,
): Promise<ServerIndex> {
  const forms = new Map<string, number>();
  const pairs = new Map<string, number[]>();
  const long: { form: string; tool: number }[] = [];
  const serverForm = comparable(server);
  for (const [tool, { originalName, name = "" }] of tools.entries()) {
    const original = comparable(originalName.slice(0, LONGEST_COMPARED));
    const full = `${serverForm}_${original}`;
    const exposed = comparable(name);
    for (const form of [original, full, ...exposedForms(exposed)]) {
      const owner = forms.get(form);
      forms.set(form, owner === undefined || owner === tool ? tool : SEVERAL);
    }
    for (const form of [full, exposed]) if (form.length > LEAST_TRUNCATED_LENGTH) long.push({ form, tool });
    const named = pairsOf(exposed);
    for (const pair of pairsOf(original.slice(0, LONGEST_SUGGESTED))) named.add(pair);
    for (const pair of named) {
      const known = pairs.get(pair);
      if (known === undefined) pairs.set(pair, [tool]);
      else known.push(tool);
    }
    if (slices.isOver()) await slices.next();
  }
  long.sort((a, b) => (a.form < b.form ? -1 : 1));
  return { tools, forms, long, pairs };
}

/** An exposed name with its hash, with a part of it, and without. */
function exposedForms(exposed: string): readonly string[] {
  if (!HASH_SUFFIX.test(exposed)) return [exposed];
  const shortened = Array.from({ length: HASH_LENGTH }, (_, lost) => exposed.slice(0, exposed.length - lost));
  return [...shortened, exposed.replace(HASH_SUFFIX, "")];
}

/** The possible readings of a name, in the form in which names are compared. */
function readingsOf(asked: string): readonly string[] {
  if (asked.length > LONGEST_COMPARED) return [];
  const bare = asked.trim().replace(FRAMEWORK_PREFIX, "").replace(CALL_NUMBER, "");
  const readings = [asked, bare].map(comparable);
  return [...new Set([...readings, ...readings.map(withoutMcp)])].filter((reading) => reading !== "");
}

/** Up to three different tools that a reading fits. */
function toolsCalled(reading: string, { forms, long }: ServerIndex): readonly number[] {
  const named = forms.get(reading);
  const called = named === undefined ? [] : [named];
  if (reading.length < LEAST_TRUNCATED_LENGTH) return called;
  // A tool has two long forms at most, so a third place belongs to another tool.
  for (let place = firstFrom(long, reading), end = place + 3; place < end; place += 1) {
    const entry = long[place];
    if (entry?.form.startsWith(reading) !== true) break;
    called.push(entry.tool);
  }
  return called;
}

/** The first place of a form that does not come before `wanted`. */
function firstFrom(long: ServerIndex["long"], wanted: string): number {
  let low = 0;
  let high = long.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((long[middle]?.form ?? "") < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The tools that share the most pairs with a name, with how many; the rarest pairs are looked up first. */
function likeliest(
  wanted: ReadonlySet<string>,
  { pairs }: ServerIndex,
  most: number,
): readonly (readonly [tool: number, shared: number])[] {
  const found = [...wanted].flatMap((pair) => [pairs.get(pair) ?? []]).sort((a, b) => a.length - b.length);
  const shared = new Map<number, number>();
  let left = most;
  for (const tools of found) {
    if (left <= 0) break;
    const visited = tools.length > left ? tools.slice(0, left) : tools;
    for (const tool of visited) shared.set(tool, (shared.get(tool) ?? 0) + 1);
    left -= visited.length;
  }
  return [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MOST_COMPARED);
}

function withoutMcp(reading: string): string {
  return reading.replace(/^mcp_/, "");
}

const PLAIN = /^[\x20-\x7e]*$/;
/** The source of a pattern that is seldom needed: its set of characters takes long to build. */
const BETWEEN_WORDS = String.raw`[^\p{L}\p{N}]+`;

/** Letters and digits in lower case, with one `_` for whatever stands between them. */
function comparable(name: string): string {
  const between = PLAIN.test(name) ? /[^a-z0-9]+/g : new RegExp(BETWEEN_WORDS, "gu");
  return name.toLowerCase().replace(between, "_").replace(/^_|_$/g, "");
}

/** The share of neighbouring characters that two names have in common (Dice's coefficient), of the better of a tool's names. */
function likenessOf(wanted: ReadonlySet<string>, { name, originalName }: ToolDescriptor): number {
  return Math.max(
    likeness(wanted, comparable(name)),
    likeness(wanted, comparable(originalName.slice(0, LONGEST_SUGGESTED))),
  );
}

function likeness(wanted: ReadonlySet<string>, name: string): number {
  const pairs = pairsOf(name);
  let shared = 0;
  for (const pair of pairs) if (wanted.has(pair)) shared += 1;
  return (2 * shared) / Math.max(1, wanted.size + pairs.size);
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at < text.length - 1; at += 1) pairs.add(text.slice(at, at + 2));
  return pairs;
}
