import { isRecord } from "@jackfield/mcp-core";

/** A JSON object without prototype: `__proto__` and `toString` are keys like any other. */
export type JsonMap = { [key: string]: unknown };

/** Deeper than any real configuration, and shallow enough for every recursive reader. */
export const DEEPEST_NESTING = 64;

/** What is said of a text that is nested more deeply. */
export const TOO_DEEP = `values are nested more than ${DEEPEST_NESTING} levels deep.`;

/** A key that the program the file was written for would take for the prototype of its object (threat T11). */
export const FORBIDDEN_KEY = "__proto__";

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

/** The way from the root of a document to a value. */
export type JsonPath = readonly (string | number)[];

/** A path as an RFC 6901 pointer; the empty string is the root. */
export function jsonPointer(path: JsonPath): string {
  let pointer = "";
  for (let index = 0; index < path.length; index += 1) {
    const step = path[index] ?? "";
    const isPlain = typeof step === "number" || (step.length <= LONGEST_KEY && !ESCAPED.test(step));
    pointer += isPlain ? `/${step}` : pointerStep(step);
  }
  return pointer;
}

/** The path of an RFC 6901 pointer. An index is a text, too. */
export function pointerPath(pointer: string): JsonPath {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What a pointer has another spelling for. */
const ESCAPED = /[~/]/;

/** The part of a pointer that leads from a container to a member or an element. */
function pointerStep(step: string | number): string {
  return `/${shownKey(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A key of megabytes may be above every place that is reported. */
const LONGEST_KEY = 4096;

/** A key as diagnostics have it, cut if it is longer than any that is used. */
export function shownKey(key: string | number): string {
  const text = String(key);
  return text.length > LONGEST_KEY ? `${text.slice(0, LONGEST_KEY)}…` : text;
}

/** Whether a path leads to a value or into it. */
export function isWithin(path: JsonPath, container: JsonPath): boolean {
  return container.every((step, index) => path[index] === step);
}

/** A path as people write it: `env.TOKEN`, `args[2]`. */
export function fieldName(path: JsonPath): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? step : `${name}.${step}`;
  }, "");
}
