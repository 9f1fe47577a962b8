import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import type { JsonMap } from "./json-value.ts";

/** What a text holds, and where the keys in it stand. */
export interface PlainJson {
  readonly root: unknown;
  /** Of every object in it, in the order of its keys. */
  readonly offsets: ReadonlyMap<object, number[]>;
}

/**
 * Reads a text that is JSON and has nothing odd about it, as most files are. What is built in makes the values, and says nothing of
 * places; but the strings of the text, keys and values, are those of the values in their order, so walking over both side by side
 * finds each. That takes a tenth of the calls that a parser makes, and at a start, when no code is fast yet, calls are what costs.
 *
 * @returns `undefined` for everything else: faults, comments, keys that stand twice or that the engine puts in another order,
 * `__proto__`, deep nesting. Whoever wants to know more parses the text.
 */
export function readPlainJson(text: string): PlainJson | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  const offsets = findKeys(text, root);
  return offsets && { root, offsets };
}

/** Finds where the keys of all objects stand, and takes the prototypes of these away; `undefined` where the way is lost. */
function findKeys(text: string, root: unknown): PlainJson["offsets"] | undefined {
  const offsets = new Map<object, number[]>();
  const hasEscapes = text.includes("\\");
  /** Behind the string that was found last. */
  let at = 0;
  // A key that stands twice is one string too many.
  return walk(root, 0) && text.indexOf('"', at) === -1 ? offsets : undefined;

  function walk(value: unknown, depth: number): boolean {
    if (typeof value === "string") return find(value) !== -1;
    if (typeof value !== "object" || value === null) return true;
    if (depth === DEEPEST_NESTING) return false;
    if (Array.isArray(value)) return value.every((element) => walk(element, depth + 1));
    return walkMap(value as JsonMap, depth + 1);
  }

  function walkMap(map: JsonMap, depth: number): boolean {
    const found: number[] = [];
    offsets.set(map, found);
    // What a prototype has been given as well stands in no text, so the walk loses its way.
    for (const key in map) {
      const offset = find(key);
      if (offset === -1 || key === FORBIDDEN_KEY || !walk(map[key], depth)) return false;
      found.push(offset);
    }
    Object.setPrototypeOf(map, null);
    return true;
  }

  /** The offset of the next string of the text, which must be this one; -1 if it is not. */
  function find(string: string): number {
    const from = text.indexOf('"', at);
    let to = from + 1 + string.length;
    const isAsWritten = text[to] === '"' && text.startsWith(string, from + 1);
    if (!isAsWritten || (hasEscapes && string.includes("\\"))) to = endOfEscaped(text, string, from);
    at = to + 1;
    return to === -1 ? -1 : from;
  }
}

/** Where a string ends that may be written with escapes; -1 if another one is written. */
function endOfEscaped(text: string, string: string, from: number): number {
  if (from === -1) return -1;
  let to = text.indexOf('"', from + 1);
  while (to !== -1 && isEscaped(text, to)) to = text.indexOf('"', to + 1);
  // V8 takes a key with an escape for another one that it has seen in such an object before: `"\""` for a single backslash.
  return to !== -1 && decoded(text.slice(from, to + 1)) === string ? to : -1;
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
