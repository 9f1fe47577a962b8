import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import type { JsonMap } from "./json-value.ts";
import { isUnsafe } from "./number-spellings.ts";

/** The offsets of an object's keys, in their order, each followed by the offsets in its value. */
export type KeyOffsets = (number | KeyOffsets)[];

/** The value of a text, and the offsets of its keys, except for keys inside arrays. */
export interface PlainJson {
  readonly root: unknown;
  readonly keyOffsets: KeyOffsets;
}

/**
 * Reads JSON without peculiarities, as most files are. `JSON.parse` makes the values but reports no positions; yet the strings of
 * the text, keys and values, come in the order of those values, so walking over both side by side finds each key. That takes a
 * tenth of the calls that a parser makes, and calls are what costs at a start, when no code is optimised yet.
 *
 * @returns `undefined` for everything else: errors, comments, keys that are repeated or that the engine reorders, `__proto__`, deep
 * nesting, numbers whose spelling has to be kept. The caller then parses the text in full.
 */
export function readPlainJson(text: string): PlainJson | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  const keyOffsets = findKeys(text, root);
  return keyOffsets && { root, keyOffsets };
}

/** Finds the offsets of the keys of all objects, and removes the objects' prototypes; `undefined` if text and values do not match. */
function findKeys(text: string, root: unknown): KeyOffsets | undefined {
  const hasEscapes = text.includes("\\");
  /** The offset after the last string found. */
  let at = 0;
  // A repeated key leaves a string that no value has.
  const keyOffsets = walk(root, 0);
  return text.indexOf('"', at) === -1 ? keyOffsets : undefined;

  function walk(value: unknown, depth: number): KeyOffsets | undefined {
    if (typeof value === "string") return find(value) === -1 ? undefined : NONE;
    // For a member, `walkMap` has already checked the number.
    if (typeof value !== "object" || value === null) return isUnsafe(value) ? undefined : NONE;
    if (depth === DEEPEST_NESTING) return undefined;
    if (!Array.isArray(value)) return walkMap(value as JsonMap, depth + 1);
    return value.every((element) => walk(element, depth + 1) !== undefined) ? NONE : undefined;
  }

  function walkMap(map: JsonMap, depth: number): KeyOffsets | undefined {
    const keyOffsets: KeyOffsets = [];
    // `for…in` also visits keys added to `Object.prototype`. They are in no text, so the walk fails.
    for (const key in map) {
      const offset = find(key);
      if (typeof map[key] === "number" && !isAsPrinted(text, at, map[key])) return undefined;
      const inner = offset === -1 || key === FORBIDDEN_KEY ? undefined : walk(map[key], depth);
      if (inner === undefined) return undefined;
      keyOffsets.push(offset, inner);
    }
    Object.setPrototypeOf(map, null);
    return keyOffsets;
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

const NONE: KeyOffsets = [];

/** Whether the number after a key is written as JavaScript prints it, and is exact. */
function isAsPrinted(text: string, behindKey: number, value: number): boolean {
  if (isUnsafe(value)) return false;
  let at = text.indexOf(":", behindKey) + 1;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  const printed = String(value);
  return text.startsWith(printed, at) && !/[\d.eE]/.test(text.charAt(at + printed.length));
}

/** The end of a string that may contain escapes; -1 if the text has another string. */
function endOfEscaped(text: string, string: string, from: number): number {
  if (from === -1) return -1;
  let to = text.indexOf('"', from + 1);
  while (to !== -1 && isEscaped(text, to)) to = text.indexOf('"', to + 1);
  // V8 may mistake a key with an escape for one that it has seen in such an object before: `"\""` for a single backslash.
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
