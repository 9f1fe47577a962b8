import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import type { JsonPath } from "./json-path.ts";
import { createMap, isMap, type JsonMap } from "./json-value.ts";

/** What to do with what is not copied. */
export interface CopyWatch {
  /** A number was copied to a key of an object. */
  onNumber(copy: JsonMap, key: string, path: JsonPath): void;
  /** A `__proto__` key was left out. */
  onForbidden(path: JsonPath): void;
  /** Something lies deeper than 64 levels; must throw. */
  onTooDeep(path: JsonPath): never;
}

/** Copies what another parser has made: maps without prototype, dates and integers that no number can hold as texts, `__proto__` left out. */
export function copyTree(value: unknown, watch: CopyWatch, path: JsonPath = []): unknown {
  // A number near it would be another one than was written.
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value) && !isMap(value)) return value;
  if (path.length >= DEEPEST_NESTING) watch.onTooDeep(path);
  if (Array.isArray(value)) return value.map((element, index) => copyTree(element, watch, [...path, index]));
  const copy = createMap();
  for (const key of Object.keys(value)) {
    if (key === FORBIDDEN_KEY) watch.onForbidden([...path, key]);
    else {
      copy[key] = copyTree(value[key], watch, [...path, key]);
      if (typeof copy[key] === "number") watch.onNumber(copy, key, [...path, key]);
    }
  }
  return copy;
}
