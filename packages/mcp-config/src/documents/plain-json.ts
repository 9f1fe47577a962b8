import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import { createMap, type JsonMap } from "./json-value.ts";
import { MemberOffsets } from "./member-offsets.ts";

/** What a text holds, and where the keys in it stand. */
export interface PlainJson {
  readonly root: unknown;
  /** Of every object in it. */
  readonly members: ReadonlyMap<object, MemberOffsets>;
}

const QUOTE = 0x22;

/**
 * Reads a text that is JSON and has nothing odd about it, as most files are. What is built in makes the values, and says nothing of
 * places; but the strings of the text, keys and values, are those of the values in their order, so walking over both side by side
 * finds each. That takes a tenth of the calls that a parser makes, and at a start, when no code is fast yet, calls are what costs.
 *
 * @returns `undefined` for everything else: faults, comments, keys that stand twice or that the engine puts in another order,
 * `__proto__`, deep nesting. Whoever wants to know more parses the text.
 */
export function readPlainJson(text: string): PlainJson | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const walk = new StringWalk(text);
  const root = walk.copy(value, 0);
  return walk.hasFoundAll() ? { root, members: walk.members } : undefined;
}

class StringWalk {
  readonly members = new Map<object, MemberOffsets>();
  readonly #text: string;
  readonly #hasEscapes: boolean;
  /** Behind the string that was found last. */
  #at = 0;
  #isLost = false;

  constructor(text: string) {
    this.#text = text;
    this.#hasEscapes = text.includes("\\");
  }

  /** A key that stands twice is one string too many. */
  hasFoundAll(): boolean {
    return !this.#isLost && this.#text.indexOf('"', this.#at) === -1;
  }

  /** The value, made of maps without prototypes. */
  copy(value: unknown, depth: number): unknown {
    if (typeof value === "string") this.#find(value);
    if (typeof value !== "object" || value === null || this.#isLost) return value;
    if (depth === DEEPEST_NESTING) {
      this.#isLost = true;
      return undefined;
    }
    return Array.isArray(value)
      ? value.map((element) => this.copy(element, depth + 1))
      : this.#copyMap(value as JsonMap, depth);
  }

  #copyMap(value: JsonMap, depth: number): JsonMap {
    const map = createMap();
    const offsets: (string | number)[] = [];
    this.members.set(map, new MemberOffsets(offsets));
    // What a prototype has been given as well stands in no text, so the walk loses its way.
    for (const key in value) {
      if (key === FORBIDDEN_KEY) this.#isLost = true;
      offsets.push(key, this.#find(key));
      map[key] = this.copy(value[key], depth + 1);
    }
    return map;
  }

  /** The offset of the next string of the text, which must be this one. */
  #find(string: string): number {
    if (this.#isLost) return -1;
    const text = this.#text;
    const from = text.indexOf('"', this.#at);
    let to = from + 1 + string.length;
    const isAsWritten = text.startsWith(string, from + 1) && text.charCodeAt(to) === QUOTE;
    if (!isAsWritten || (this.#hasEscapes && string.includes("\\"))) to = this.#endOfEscaped(string, from);
    this.#at = to + 1;
    return from;
  }

  #endOfEscaped(string: string, from: number): number {
    const text = this.#text;
    let to = text.indexOf('"', from + 1);
    while (to !== -1 && isEscaped(text, to)) to = text.indexOf('"', to + 1);
    // V8 takes a key with an escape for another one that it has seen in such an object before: `"\""` for a single backslash.
    if (from === -1 || to === -1 || decoded(text.slice(from, to + 1)) !== string) this.#isLost = true;
    return to;
  }
}

function decoded(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** Whether an odd number of backslashes stands before a quote. */
export function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text[at - 1] === "\\") at -= 1;
  return (quote - at) % 2 === 1;
}
