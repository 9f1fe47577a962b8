import { isRecord } from "@jackfield/mcp-core";
import { createMap, type JsonMap } from "./json-value.ts";

/** Spellings by key, for each object that holds the numbers. */
const spellings = new WeakMap<object, Map<string, string>>();

const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Keeps the spelling of a number where its value loses it: `1.10`, `007`, or more digits than a number can hold. A host that reads
 * it as a text gets what was written. A spelling kept for an earlier value of the same key is dropped.
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

/** Keeps the spelling for a member of a copy as well. */
export function keepSpellingIn(copy: JsonMap, key: string, original: JsonMap): void {
  const value = copy[key];
  const written = typeof value === "number" ? spellingOf(original, key) : undefined;
  if (written !== undefined) keepSpelling(copy, key, value, written);
}

/** The spelling of a number; `undefined` if its value implies it. */
export function spellingOf(container: object, key: string): string | undefined {
  return spellings.get(container)?.get(key);
}

/** Whether a value is an integer too large to be exact, so that the text may have another one. */
export function isUnsafe(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/**
 * Members of an object, with all nested values, in which integers too large to be exact are replaced by their digits as written.
 *
 * @param original - the object that the members were taken from, or copied from in part
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
  if (isRecord(value)) return withDigits(value, given);
  if (!isUnsafe(value)) return value;
  return (
    spellingOf(container, key) ?? (value === given ? spellingOf(original as object, key) : undefined) ?? value
  );
}

function memberOf(container: unknown, key: string): unknown {
  const hasMembers = isRecord(container) || Array.isArray(container);
  return hasMembers && Object.hasOwn(container, key) ? (container as JsonMap)[key] : undefined;
}
