import { createMap, isMap, type JsonMap } from "./json-value.ts";

/** By the object that holds them. */
const spellings = new WeakMap<object, Map<string, string>>();

const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Keeps how a number is written where its value does not tell: `1.10`, `007`, or as many digits as a number may not hold. A host that takes
 * it for a text gets what somebody wrote. What was kept for another value of the same key is forgotten.
 */
export function keepSpelling(container: object, key: string, value: unknown, written: string): void {
  let known = spellings.get(container);
  const isTold = String(value) === written && !isUnsafe(value);
  if (isTold || !DECIMAL.test(written)) {
    known?.delete(key);
    return;
  }
  known ??= new Map<string, string>();
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

/** Whether a value is an integer so large that another one may have been written. */
export function isUnsafe(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/**
 * Members of an object, and what lies in them, with the digits that somebody wrote in the place of integers that a number may not hold.
 *
 * @param original - the object that they were taken from, or copied from in part
 */
export function withDigits(members: JsonMap, original: unknown): JsonMap {
  const exact = createMap();
  for (const key of Object.keys(members)) exact[key] = exactValue(members, key, original);
  return exact;
}

function exactValue(container: object, key: string, original: unknown): unknown {
  const value = memberOf(container, key);
  const given = memberOf(original, key);
  if (Array.isArray(value)) return value.map((_element, index) => exactValue(value, String(index), given));
  if (isMap(value)) return withDigits(value, given);
  if (!isUnsafe(value)) return value;
  return (
    spellingOf(container, key) ?? (value === given ? spellingOf(original as object, key) : undefined) ?? value
  );
}

function memberOf(container: unknown, key: string): unknown {
  const hasMembers = isMap(container) || Array.isArray(container);
  return hasMembers && Object.hasOwn(container, key) ? (container as JsonMap)[key] : undefined;
}
