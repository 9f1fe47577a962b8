import type { McpError } from "@jackfield/mcp-core";
import type { JsonPath } from "./json-path.ts";
import { createMap, isMap, type JsonMap, kindOf } from "./json-value.ts";
import { quote } from "./server-name.ts";

/** The longest time a timer can count; a longer one would fire at once. */
const LONGEST_TIME_MS = 2 ** 31 - 1;

/**
 * Reads an entry field by field. A field that is missing or `undefined` is `undefined`; one of the wrong type is thrown
 * as a fault at its place. What was never read is left over.
 */
export interface EntryFields {
  has(field: string): boolean;
  value(field: string): unknown;
  /** A string without NUL, and not empty. */
  text(field: string): string | undefined;
  texts(field: string): readonly string[] | undefined;
  /** Strings by name, without prototype. `nameFault` says what is wrong with a name. */
  textMap(field: string, nameFault: (name: string) => string | undefined): MapOfTexts | undefined;
  flag(field: string): boolean | undefined;
  /** A finite number that is not negative. */
  amount(field: string): number | undefined;
  /** The same, in milliseconds. */
  time(field: string): number | undefined;
  /** What was not read, as written; `undefined` if nothing is left. */
  rest(): JsonMap | undefined;
}

export type MapOfTexts = { readonly [name: string]: string };

/** Makes the error for a fault at a path inside the entry. */
export type FaultAt = (path: JsonPath, text: string) => McpError;

export function createEntryFields(entry: JsonMap, faultAt: FaultAt): EntryFields {
  const unread = new Set(Object.keys(entry).filter((field) => entry[field] !== undefined));

  function value(field: string): unknown {
    unread.delete(field);
    return Object.hasOwn(entry, field) ? entry[field] : undefined;
  }

  function checked<T>(field: string, check: (found: unknown) => T): T | undefined {
    const found = value(field);
    return found === undefined ? undefined : check(found);
  }

  const fail: Fail = (path, text) => {
    throw faultAt(path, text);
  };

  return {
    value,
    has: (field) => Object.hasOwn(entry, field) && entry[field] !== undefined,
    text: (field) =>
      checked(
        field,
        (found) => checkText(found, [field], fail) || fail([field], `${quote(field)} is empty.`),
      ),
    texts: (field) => checked(field, (found) => checkTexts(found, field, fail)),
    textMap: (field, nameFault) => checked(field, (found) => checkTextMap(found, field, nameFault, fail)),
    flag: (field) => checked(field, (found) => checkFlag(found, field, fail)),
    amount: (field) => checked(field, (found) => checkAmount(found, field, fail)),
    time: (field) => checked(field, (found) => checkTime(found, field, fail)),
    rest: () => {
      const left = createMap();
      for (const field of unread) left[field] = entry[field];
      return unread.size === 0 ? undefined : left;
    },
  };
}

type Fail = (path: JsonPath, text: string) => never;

function checkText(found: unknown, path: JsonPath, fail: Fail): string {
  const field = quote(String(path.at(0)));
  const subject = path.length === 1 ? field : `${quote(String(path.at(-1)))} in ${field}`;
  if (typeof found !== "string") {
    const hint = typeof found === "number" || typeof found === "boolean" ? "; put it in quotes" : "";
    return fail(path, `${subject} must be a string, not ${kindOf(found)}${hint}.`);
  }
  if (found.includes("\0")) fail(path, `${subject} contains a NUL character.`);
  return found;
}

function checkTexts(found: unknown, field: string, fail: Fail): readonly string[] {
  if (!Array.isArray(found)) {
    return fail([field], `${quote(field)} must be an array of strings, not ${kindOf(found)}.`);
  }
  return Array.from(found, (element, index) => checkText(element, [field, index], fail));
}

function checkTextMap(
  found: unknown,
  field: string,
  nameFault: (name: string) => string | undefined,
  fail: Fail,
): MapOfTexts {
  if (!isMap(found)) {
    return fail([field], `${quote(field)} must be an object of strings, not ${kindOf(found)}.`);
  }
  const texts = createMap<string>();
  for (const name of Object.keys(found)) {
    const fault = nameFault(name);
    if (fault) fail([field, name], `${quote(name)} in ${quote(field)} ${fault}.`);
    if (found[name] !== undefined) texts[name] = checkText(found[name], [field, name], fail);
  }
  return texts;
}

function checkFlag(found: unknown, field: string, fail: Fail): boolean {
  if (typeof found === "boolean") return found;
  return fail([field], `${quote(field)} must be true or false, not ${kindOf(found)}.`);
}

function checkAmount(found: unknown, field: string, fail: Fail): number {
  if (typeof found === "number" && Number.isFinite(found) && found >= 0) return found;
  const kind = typeof found === "number" ? String(found) : kindOf(found);
  return fail([field], `${quote(field)} must be a finite number of at least 0, not ${kind}.`);
}

function checkTime(found: unknown, field: string, fail: Fail): number {
  const time = checkAmount(found, field, fail);
  if (time <= LONGEST_TIME_MS) return time;
  return fail([field], `${quote(field)} must be at most ${LONGEST_TIME_MS} ms; write 0 for no limit.`);
}
