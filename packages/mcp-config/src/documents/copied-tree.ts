import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import type { JsonPath } from "./json-path.ts";
import { createMap, isMap, type JsonMap } from "./json-value.ts";
import { keepSpelling } from "./number-spellings.ts";

/** Callbacks of `copyTree`. */
export interface CopyWatch {
  /** A number was copied to a key of an object. */
  onNumber(copy: JsonMap, key: string, path: JsonPath): void;
  /** A `__proto__` key was left out. */
  onForbidden(path: JsonPath): void;
  /** Something lies deeper than 64 levels; must throw. */
  onTooDeep(path: JsonPath): never;
}

/**
 * Copies what another parser has made: maps get no prototype, dates become strings, `__proto__` is left out. An integer too large
 * for a number becomes the nearest one, and its digits are kept.
 */
export function copyTree(value: unknown, watch: CopyWatch, path: JsonPath = []): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value) && !isMap(value)) return value;
  if (path.length >= DEEPEST_NESTING) watch.onTooDeep(path);
  if (Array.isArray(value)) {
    const elements = value.map((element: unknown, index) => copyTree(element, watch, [...path, index]));
    for (const [index, element] of value.entries()) keepDigits(elements, String(index), element);
    return elements;
  }
  const copy = createMap();
  for (const key of Object.keys(value)) {
    if (key === FORBIDDEN_KEY) watch.onForbidden([...path, key]);
    else {
      copy[key] = copyTree(value[key], watch, [...path, key]);
      if (typeof value[key] === "number") watch.onNumber(copy, key, [...path, key]);
      keepDigits(copy, key, value[key]);
    }
  }
  return copy;
}

function keepDigits(container: object, key: string, value: unknown): void {
  if (typeof value === "bigint") keepSpelling(container, key, Number(value), String(value));
}
