import { isRecord } from "@jackfield/mcp-core";
import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import { createMap } from "./json-value.ts";
import { keepSpelling } from "./number-spellings.ts";
import type { PlacedValue } from "./placed-value.ts";

/** Callbacks of `copyTree`. */
export interface CopyWatch {
  /** A `__proto__` key was left out. */
  onForbidden(value: PlacedValue): void;
  /** Something lies deeper than 64 levels; must throw. */
  onTooDeep(value: PlacedValue): never;
}

/**
 * Copies what another parser has made: maps get no prototype, dates become strings, `__proto__` is left out. An integer too large
 * for a number becomes the nearest one, and its digits are kept, as is the spelling of a member that is a number.
 */
export function copyTree(value: unknown, place: PlacedValue, watch: CopyWatch): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value) && !isRecord(value)) return value;
  if (place.depth >= DEEPEST_NESTING) watch.onTooDeep(place);
  if (Array.isArray(value)) {
    const elements = value.map((element: unknown, index) => copyTree(element, place.enter(index), watch));
    for (const [index, element] of value.entries()) keepDigits(elements, String(index), element);
    return elements;
  }
  const copy = createMap();
  for (const key of Object.keys(value)) {
    const member = place.enter(key);
    if (key === FORBIDDEN_KEY) watch.onForbidden(member);
    else {
      copy[key] = copyTree(value[key], member, watch);
      if (typeof value[key] === "number") keepSpelling(copy, key, copy[key], member.written ?? "");
      keepDigits(copy, key, value[key]);
    }
  }
  return copy;
}

function keepDigits(container: object, key: string, value: unknown): void {
  if (typeof value === "bigint") keepSpelling(container, key, Number(value), String(value));
}
