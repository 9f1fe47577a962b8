import { isRecord } from "@jackfield/mcp-core";
import type { JsonPath } from "./json-path.ts";

/** A JSON object without prototype: `__proto__` and `toString` are keys like any other. */
export type JsonMap = { [key: string]: unknown };

/** An empty object without prototype. */
export function createMap<T = unknown>(): { [key: string]: T } {
  return Object.create(null) as { [key: string]: T };
}

/** A member by name, `undefined` if the object has no own one; the prototype is never read. */
export function ownMember<T>(map: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The value at a path of own members and indexes, `undefined` if there is none. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return typeof step === "number" ? value[step] : undefined;
    return isRecord(value) ? ownMember(value, String(step)) : undefined;
  }, root);
}

/** The kind of a value, as messages name it: `an array`, `a number`, `null`, `undefined`. The value itself stays out of messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (Number.isNaN(value)) return "not a number (NaN)";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
