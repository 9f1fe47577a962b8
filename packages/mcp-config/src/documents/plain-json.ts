import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import type { JsonMap } from "./json-value.ts";
import { isUnsafe } from "./number-spellings.ts";

/** Where the keys of an object stand, in their order, each with the places in its value behind it. */
export type KeyPlaces = (number | KeyPlaces)[];

/** What a text holds, and where the keys in it stand; nothing is known of what lies in arrays. */
export interface PlainJson {
  readonly root: unknown;
  readonly places: KeyPlaces;
}

/**
 * Reads a text that is JSON and has nothing odd about it, as most files are. What is built in makes the values, and says nothing of
 * places; but the strings of the text, keys and values, are those of the values in their order, so walking over both side by side
 * finds each. That takes a tenth of the calls that a parser makes, and at a start, when no code is fast yet, calls are what costs.
 *
 * @returns `undefined` for everything else: faults, comments, keys that stand twice or that the engine puts in another order,
 * `__proto__`, deep nesting, numbers whose digits have to be kept. Whoever wants to know more parses the text.
 */
export function readPlainJson(text: string): PlainJson | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  const places = findKeys(text, root);
  return places && { root, places };
}

/** Finds where the keys of all objects stand, and takes the prototypes of these away; `undefined` where the way is lost. */
function findKeys(text: string, root: unknown): KeyPlaces | undefined {
  const hasEscapes = text.includes("\\");
  /** Behind the string that was found last. */
  let at = 0;
  // A key that stands twice is one string too many.
  const places = walk(root, 0);
  return text.indexOf('"', at) === -1 ? places : undefined;

  function walk(value: unknown, depth: number): KeyPlaces | undefined {
    if (typeof value === "string") return find(value) === -1 ? undefined : NONE;
    // Of a member it is known already that its digits need not be kept.
    if (typeof value !== "object" || value === null) return isUnsafe(value) ? undefined : NONE;
    if (depth === DEEPEST_NESTING) return undefined;
    if (!Array.isArray(value)) return walkMap(value as JsonMap, depth + 1);
    return value.every((element) => walk(element, depth + 1) !== undefined) ? NONE : undefined;
  }

  function walkMap(map: JsonMap, depth: number): KeyPlaces | undefined {
    const places: KeyPlaces = [];
    // What a prototype has been given as well stands in no text, so the walk loses its way.
    for (const key in map) {
      const offset = find(key);
      if (typeof map[key] === "number" && !isAsPrinted(text, at, map[key])) return undefined;
      const inner = offset === -1 || key === FORBIDDEN_KEY ? undefined : walk(map[key], depth);
      if (inner === undefined) return undefined;
      places.push(offset, inner);
    }
    Object.setPrototypeOf(map, null);
    return places;
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

const NONE: KeyPlaces = [];

/** Whether the number behind a key is written as it would be printed, and no other one is printed like that. */
function isAsPrinted(text: string, behindKey: number, value: number): boolean {
  if (isUnsafe(value)) return false;
  let at = text.indexOf(":", behindKey) + 1;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  const printed = String(value);
  return text.startsWith(printed, at) && !/[\d.eE]/.test(text.charAt(at + printed.length));
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
