import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import type { JsonPath } from "./json-path.ts";
import { createMap, isMap } from "./json-value.ts";

/** What to do with what is not copied. */
export interface CopyWatch {
  /** A `__proto__` key was left out. */
  onForbidden(path: JsonPath): void;
  /** Something lies deeper than 64 levels; must throw. */
  onTooDeep(path: JsonPath): never;
}

/** Copies what another parser has made: maps without prototype, dates as texts, large integers as infinite numbers, `__proto__` left out. */
export function copyTree(value: unknown, watch: CopyWatch, path: JsonPath = []): unknown {
  // A number near it would be another one than was written.
  if (typeof value === "bigint") return value < 0n ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value) && !isMap(value)) return value;
  if (path.length >= DEEPEST_NESTING) watch.onTooDeep(path);
  if (Array.isArray(value)) return value.map((element, index) => copyTree(element, watch, [...path, index]));
  const copy = createMap();
  for (const key of Object.keys(value)) {
    if (key === FORBIDDEN_KEY) watch.onForbidden([...path, key]);
    else copy[key] = copyTree(value[key], watch, [...path, key]);
  }
  return copy;
}
