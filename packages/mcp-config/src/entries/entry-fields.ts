import { isMcpError, type McpError } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { createMap, isMap, type JsonMap, kindOf } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";

/** The longest time a timer can count; a longer one would fire at once. */
const LONGEST_TIME_MS = 2 ** 31 - 1;

/**
 * Reads an entry field by field. A field that is missing or `undefined` is `undefined`; one of the wrong type is thrown
 * as a fault at its place. What was never read is left over.
 */
export interface EntryFields {
  has(field: string): boolean;
  /** Whether one of these was not read yet. */
  hasUnread(fields: ReadonlySet<string>): boolean;
  value(field: string): unknown;
  /** A string without NUL, and not empty. */
  text(field: string): string | undefined;
  texts(field: string): readonly string[] | undefined;
  /** Strings by name, without prototype. `nameFault` says what is wrong with a name. */
  textMap(field: string, nameFault: NameFault): MapOfTexts | undefined;
  /** The same, with `null` for names that are explicitly unset, where that is put up with. */
  nullableTextMap(field: string, nameFault: NameFault): MapOfNullableTexts | undefined;
  flag(field: string): boolean | undefined;
  /** A finite number that is not negative. */
  amount(field: string): number | undefined;
  /** The same, in milliseconds, of a field that counts `unitMs` each. Default 1. */
  time(field: string, unitMs?: number): number | undefined;
  /** A field without which the entry is still of use: where faults are tolerated, a fault leaves it out. */
  optional<T>(read: () => T | undefined): T | undefined;
  /** What was not read, as written; `undefined` if nothing is left. */
  rest(): JsonMap | undefined;
}

export type MapOfTexts = { readonly [name: string]: string };
export type MapOfNullableTexts = { readonly [name: string]: string | null };
export type NameFault = (name: string) => string | undefined;

/** Makes the error for a fault at a path inside the entry. */
export type FaultAt = (path: JsonPath, text: string) => McpError;

/** Takes a fault that leaves out a field, or a member of a map, and nothing else. */
export type Tolerate = (fault: McpError) => void;

/** @param tolerate - missing where every fault refuses the entry */
export function createEntryFields(entry: JsonMap, faultAt: FaultAt, tolerate?: Tolerate): EntryFields {
  return new Fields(entry, faultAt, tolerate);
}

/** There are as many of these as there are entries, and most entries have three fields: nothing is made for a field before it is read. */
class Fields implements EntryFields {
  readonly #entry: JsonMap;
  readonly #tolerate: Tolerate | undefined;
  readonly #fail: Fail;
  /** Also those that hold `undefined`. */
  readonly #fields: readonly string[];
  /** A list, because hardly more than five are. */
  readonly #read: string[] = [];

  constructor(entry: JsonMap, faultAt: FaultAt, tolerate: Tolerate | undefined) {
    this.#entry = entry;
    this.#tolerate = tolerate;
    this.#fail = (path, text) => {
      throw faultAt(path, text);
    };
    this.#fields = Object.keys(entry);
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#entry, field) && this.#entry[field] !== undefined;
  }

  hasUnread(fields: ReadonlySet<string>): boolean {
    return this.#fields.some((field) => fields.has(field) && !this.#read.includes(field));
  }

  value(field: string): unknown {
    this.#read.push(field);
    return Object.hasOwn(this.#entry, field) ? this.#entry[field] : undefined;
  }

  text(field: string): string | undefined {
    const found = this.value(field);
    if (found === undefined) return undefined;
    return checkText(found, [field], this.#fail) || this.#fail([field], `${quote(field)} is empty.`);
  }

  texts(field: string): readonly string[] | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkTexts(found, field, this.#fail);
  }

  textMap(field: string, nameFault: NameFault): MapOfTexts | undefined {
    const texts = this.nullableTextMap(field, nameFault);
    return texts && withoutNulls(texts);
  }

  nullableTextMap(field: string, nameFault: NameFault): MapOfNullableTexts | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : this.#textMap(found, field, nameFault);
  }

  flag(field: string): boolean | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkFlag(found, field, this.#fail);
  }

  amount(field: string): number | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkAmount(found, field, this.#fail);
  }

  time(field: string, unitMs = 1): number | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkTime(found, field, unitMs, this.#fail);
  }

  optional<T>(read: () => T | undefined): T | undefined {
    if (!this.#tolerate) return read();
    try {
      return read();
    } catch (fault) {
      if (!isMcpError(fault)) throw fault;
      this.#tolerate(fault);
      return undefined;
    }
  }

  rest(): JsonMap | undefined {
    let left: JsonMap | undefined;
    for (const field of this.#fields) {
      if (this.#entry[field] === undefined || this.#read.includes(field)) continue;
      left ??= createMap();
      left[field] = this.#entry[field];
    }
    return left;
  }

  #textMap(found: unknown, field: string, nameFault: NameFault): MapOfNullableTexts {
    const fail = this.#fail;
    if (!isMap(found)) {
      return fail([field], `${quote(field)} must be an object of strings, not ${kindOf(found)}.`);
    }
    const check = this.#tolerate === undefined ? checkText : coerceText;
    const texts = createMap<string | null>();
    for (const name of Object.keys(found)) {
      const text = this.optional(() => {
        const fault = nameFault(name);
        if (fault) fail([field, name], `${quote(name)} in ${quote(field)} ${fault}.`);
        return found[name] === undefined ? undefined : check(found[name], [field, name], fail);
      });
      if (text !== undefined) texts[name] = text;
    }
    return texts;
  }
}

type Fail = (path: JsonPath, text: string) => never;

function checkText(found: unknown, path: JsonPath, fail: Fail): string {
  if (typeof found !== "string") {
    const hint = typeof found === "number" || typeof found === "boolean" ? "; put it in quotes" : "";
    return fail(path, `${subjectOf(path)} must be a string, not ${kindOf(found)}${hint}.`);
  }
  if (found.includes("\0")) fail(path, `${subjectOf(path)} contains a NUL character.`);
  return found;
}

function subjectOf(path: JsonPath): string {
  const field = quote(String(path.at(0)));
  return path.length === 1 ? field : `${quote(String(path.at(-1)))} in ${field}`;
}

/** Many hosts take a number or a boolean for the text of it, and `null` for a variable that is taken away. */
function coerceText(found: unknown, path: JsonPath, fail: Fail): string | null {
  if (found === null) return null;
  const isScalar = typeof found === "boolean" || (typeof found === "number" && Number.isFinite(found));
  return isScalar ? String(found) : checkText(found, path, fail);
}

function checkTexts(found: unknown, field: string, fail: Fail): readonly string[] {
  if (!Array.isArray(found)) {
    return fail([field], `${quote(field)} must be an array of strings, not ${kindOf(found)}.`);
  }
  return Array.from(found, (element, index) => checkText(element, [field, index], fail));
}

function withoutNulls(texts: MapOfNullableTexts): MapOfTexts {
  const kept = createMap<string>();
  for (const name of Object.keys(texts)) {
    const text = texts[name];
    if (typeof text === "string") kept[name] = text;
  }
  return kept;
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

function checkTime(found: unknown, field: string, unitMs: number, fail: Fail): number {
  const written = checkAmount(found, field, fail);
  // Seconds with decimals, such as 1.1, would leave fractions of a millisecond behind.
  const time = unitMs === 1 ? written : Math.round(written * unitMs);
  if (time <= LONGEST_TIME_MS) return time;
  return fail([field], `${quote(field)} must be at most ${LONGEST_TIME_MS} ms; write 0 for no limit.`);
}
