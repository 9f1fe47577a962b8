import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import { JsonStrings } from "./json-strings.ts";
import type { JsonMap } from "./json-value.ts";
import { isUnsafe } from "./number-spellings.ts";

/** The number of each key of an object among the strings of the text, in their order, each followed by the numbers in its value. */
export type KeyNumbers = (number | KeyNumbers)[];

/** The value of a text, and the numbers of its keys, except for keys inside arrays. */
export interface PlainJson {
  readonly root: unknown;
  readonly strings: JsonStrings;
  readonly keyNumbers: KeyNumbers;
}

/**
 * Reads JSON without peculiarities, as most files are. `JSON.parse` makes the values but reports no positions; yet the strings of
 * the text, keys and values, come in the order of those values, so counting them tells which string each key is. That takes far
 * fewer calls than a parser makes, and calls are what costs at a start, when no code is optimised yet.
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
  const strings = new JsonStrings(text);
  const keyNumbers = numberKeys(root, strings);
  return keyNumbers && { root, strings, keyNumbers };
}

/** Numbers the keys of all objects, and removes the objects' prototypes; `undefined` if text and values do not match. */
function numberKeys(root: unknown, strings: JsonStrings): KeyNumbers | undefined {
  const { hasEscapes } = strings;
  /** How many strings the values so far have. */
  let count = 0;
  const keyNumbers = walk(root, 0);
  // A repeated key is a string of the text that no value has.
  return strings.count === count ? keyNumbers : undefined;

  function walk(value: unknown, depth: number): KeyNumbers | undefined {
    if (typeof value === "string") count += 1; // Only at the root: the strings of objects and arrays are counted there.
    if (typeof value !== "object" || value === null) return isUnsafe(value) ? undefined : NONE;
    if (depth === DEEPEST_NESTING) return undefined;
    return Array.isArray(value) ? walkArray(value, depth + 1) : walkMap(value as JsonMap, depth + 1);
  }

  function walkArray(array: readonly unknown[], depth: number): KeyNumbers | undefined {
    for (let index = 0; index < array.length; index += 1) {
      if (typeof array[index] === "string") count += 1;
      else if (walk(array[index], depth) === undefined) return undefined;
    }
    return NONE;
  }

  function walkMap(map: JsonMap, depth: number): KeyNumbers | undefined {
    const keyNumbers: KeyNumbers = [];
    // Otherwise, keys added to `Object.prototype` would be visited as well.
    Object.setPrototypeOf(map, null);
    for (const key in map) {
      const number = count;
      count += 1;
      // The engine sorts keys of digits before all others.
      const isReordered = key < ":" && /^\d+$/.test(key);
      if (isReordered || key === FORBIDDEN_KEY || (hasEscapes && !strings.mayBe(number, key)))
        return undefined;
      const value = map[key];
      let inner: KeyNumbers | undefined = NONE;
      if (typeof value === "string") count += 1;
      else if (typeof value === "number")
        inner = isAsPrinted(strings.textBehind(number), value) ? NONE : undefined;
      else inner = walk(value, depth);
      if (inner === undefined) return undefined;
      keyNumbers.push(number, inner);
    }
    return keyNumbers;
  }
}

const NONE: KeyNumbers = [];

/** Whether a number is written as JavaScript prints it, and is exact. */
function isAsPrinted(behindKey: string, value: number): boolean {
  if (isUnsafe(value)) return false;
  const written = behindKey.slice(behindKey.indexOf(":") + 1).trimStart();
  const printed = String(value);
  return written.startsWith(printed) && !/[\d.eE]/.test(written.charAt(printed.length));
}
