import type { JsonMap } from "./json-value.ts";

/** By the object that holds them. */
const spellings = new WeakMap<object, Map<string, string>>();

const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Keeps how a number is written where its value does not tell: `1.10`, `007`, or more digits than a number holds. A host that takes it for
 * a text gets what somebody wrote.
 */
export function keepSpelling(container: object, key: string, value: unknown, written: string): void {
  if (String(value) === written || !DECIMAL.test(written)) return;
  const known = spellings.get(container) ?? new Map<string, string>();
  known.set(key, written);
  spellings.set(container, known);
}

/** Keeps it for a member of a copy as well. */
export function keepSpellingIn(copy: JsonMap, key: string, original: JsonMap): void {
  const value = copy[key];
  const written = typeof value === "number" ? spellingOf(original, key) : undefined;
  if (written !== undefined) keepSpelling(copy, key, value, written);
}

/** How a number is written; `undefined` where its value tells. */
export function spellingOf(container: object, key: string): string | undefined {
  return spellings.get(container)?.get(key);
}
