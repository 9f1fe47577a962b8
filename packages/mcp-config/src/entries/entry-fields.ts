import { isMcpError, isRecord, MAX_TIMER_MS, type McpError } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { createMap, type JsonMap, kindOf } from "../documents/json-value.ts";
import { spellingOf } from "../documents/number-spellings.ts";
import { quote, quoteName } from "../server-name.ts";
import { subjectOf } from "./written-path.ts";

/**
 * Reads an entry field by field. A missing field is `undefined`; for one of the wrong type, a fault with its place is thrown.
 * Fields that were never read are left over.
 */
export interface EntryFields {
  has(field: string): boolean;
  /** Whether the entry has one of these fields, and it was not read yet. */
  hasUnread(fields: ReadonlySet<string>): boolean;
  value(field: string): unknown;
  /** A string without NUL, and not empty. */
  text(field: string): string | undefined;
  texts(field: string): readonly string[] | undefined;
  /** Strings by name, without prototype. `nameFault` says what is wrong with a name. */
  textMap(field: string, nameFault: NameFault): MapOfTexts | undefined;
  /** The same, with `null` for names that are explicitly unset, if that is tolerated. */
  nullableTextMap(field: string, nameFault: NameFault): MapOfNullableTexts | undefined;
  flag(field: string): boolean | undefined;
  oneOf<T extends string>(field: string, values: readonly T[]): T | undefined;
  /** A finite number that is not negative. */
  amount(field: string): number | undefined;
  /** The same, in milliseconds; `unitMs` is the field's unit. Default 1. */
  time(field: string, unitMs?: number): number | undefined;
  /**
   * Reads a field that the server can do without: if faults are tolerated, a faulty field is left out. `instead` is for fields that
   * switch the server off if they cannot be read, and says what to write there.
   */
  optional<T>(read: () => T | undefined, instead?: string): T | undefined;
  /** Whether a field is `null` and faults are tolerated: many tools write that for an optional field that is not set. */
  isUnset(field: string): boolean;
  /** Counts a field as not read after all, because another one wins over it. */
  leave(field: string): void;
  /** The fields that were not read, as written; `undefined` if there are none. */
  rest(): JsonMap | undefined;
}

export type MapOfTexts = { readonly [name: string]: string };
export type MapOfNullableTexts = { readonly [name: string]: string | null };
export type NameFault = (name: string) => string | undefined;

/** Makes the error for a fault at a path inside the entry. */
export type FaultAt = (path: JsonPath, text: string) => McpError;

/**
 * Receives a fault that leaves out only a field or a member of a map; with `instead`, it switches the server off. A lost variable is
 * an error.
 */
export type Tolerate = (fault: McpError, instead?: string, severity?: "error") => void;

/**
 * @param tolerate - omitted if every fault refuses the entry
 * @param inCode - whether the entry was given in code: the caller may change it later, so what is kept of it is copied
 */
export function createEntryFields(
  entry: JsonMap,
  faultAt: FaultAt,
  tolerate?: Tolerate,
  inCode = false,
): EntryFields {
  return new Fields(entry, faultAt, tolerate, inCode);
}

/** There is one of these for each entry, and most entries have three fields: nothing is allocated for a field before it is read. */
class Fields implements EntryFields {
  readonly #entry: JsonMap;
  readonly #faultAt: FaultAt;
  readonly #tolerate: Tolerate | undefined;
  readonly #inCode: boolean;
  /** Includes fields that hold `undefined`. */
  readonly #unread: Set<string>;

  constructor(entry: JsonMap, faultAt: FaultAt, tolerate: Tolerate | undefined, inCode: boolean) {
    this.#entry = entry;
    this.#faultAt = faultAt;
    this.#tolerate = tolerate;
    this.#inCode = inCode;
    this.#unread = new Set(Object.keys(entry));
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#entry, field) && this.#entry[field] !== undefined;
  }

  hasUnread(fields: ReadonlySet<string>): boolean {
    for (const field of this.#unread) if (fields.has(field)) return true;
    return false;
  }

  value(field: string): unknown {
    this.#unread.delete(field);
    return Object.hasOwn(this.#entry, field) ? this.#entry[field] : undefined;
  }

  text(field: string): string | undefined {
    const found = this.value(field);
    if (found === undefined) return undefined;
    const text = checkText(found, [field], this.#faultAt);
    if (text !== "") return text;
    throw this.#faultAt([field], `${quote(field)} is empty.`);
  }

  texts(field: string): readonly string[] | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkTexts(found, field, this.#faultAt);
  }

  textMap(field: string, nameFault: NameFault): MapOfTexts | undefined {
    const found = this.value(field);
    // Without variables to unset, there are no nulls.
    return found === undefined ? undefined : (this.#textMap(found, field, nameFault, false) as MapOfTexts);
  }

  nullableTextMap(field: string, nameFault: NameFault): MapOfNullableTexts | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : this.#textMap(found, field, nameFault, true);
  }

  flag(field: string): boolean | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkFlag(found, field, this.#faultAt);
  }

  oneOf<T extends string>(field: string, values: readonly T[]): T | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkOneOf(found, field, values, this.#faultAt);
  }

  amount(field: string): number | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkAmount(found, field, this.#faultAt);
  }

  time(field: string, unitMs = 1): number | undefined {
    const found = this.value(field);
    return found === undefined ? undefined : checkTime(found, field, unitMs, this.#faultAt);
  }

  optional<T>(read: () => T | undefined, instead?: string, severity?: "error"): T | undefined {
    if (!this.#tolerate) return read();
    try {
      return read();
    } catch (fault) {
      if (!isMcpError(fault)) throw fault;
      this.#tolerate(fault, instead, severity);
      return undefined;
    }
  }

  isUnset(field: string): boolean {
    return this.#tolerate !== undefined && this.value(field) === null;
  }

  leave(field: string): void {
    this.#unread.add(field);
  }

  rest(): JsonMap | undefined {
    let left: JsonMap | undefined;
    if (this.#unread.size === 0) return left;
    for (const field of this.#unread) {
      if (this.#entry[field] === undefined) continue;
      left ??= createMap();
      left[field] = this.#entry[field];
    }
    return left;
  }

  #textMap(found: unknown, field: string, nameFault: NameFault, isEnv: boolean): MapOfNullableTexts {
    const faultAt = this.#faultAt;
    if (!isRecord(found)) {
      throw faultAt([field], `${quote(field)} must be an object of strings, not ${kindOf(found)}.`);
    }
    const isRight = (name: string) => isText(found[name]) && nameFault(name) === undefined;
    // Nobody else holds the values of a parsed document, so they need no copy.
    const isOurs = !this.#inCode && Object.getPrototypeOf(found) === null;
    if (isOurs && Object.keys(found).every(isRight)) return found as MapOfTexts;
    const read = (name: string) => {
      const path = [field, name];
      const fault = nameFault(name);
      if (fault) throw faultAt(path, `${quoteName(name)} in ${quote(field)} ${fault}.`);
      const value = found[name];
      if (value === undefined) return undefined;
      if (this.#tolerate === undefined) return checkText(value, path, faultAt);
      if (value === null && isEnv) return null;
      const written = typeof value === "number" ? spellingOf(found, name) : undefined;
      return written ?? coerceText(value, path, faultAt);
    };
    const texts = createMap<string | null>();
    for (const name of Object.keys(found)) {
      const text = this.optional(() => read(name), undefined, isEnv ? "error" : undefined);
      if (text !== undefined) texts[name] = text;
    }
    return texts;
  }
}

function isText(found: unknown): found is string {
  return typeof found === "string" && !found.includes("\0");
}

function checkText(found: unknown, path: JsonPath, faultAt: FaultAt): string {
  if (isText(found)) return found;
  if (typeof found === "string") throw faultAt(path, `${subjectOf(path)} contains a NUL character.`);
  const hint = typeof found === "number" || typeof found === "boolean" ? "; put it in quotes" : "";
  throw faultAt(path, `${subjectOf(path)} must be a string, not ${kindOf(found)}${hint}.`);
}

/** Many hosts accept a number or a boolean as its text. */
function coerceText(found: unknown, path: JsonPath, faultAt: FaultAt): string {
  if (Number.isInteger(found) && !Number.isSafeInteger(found)) {
    throw faultAt(path, `${subjectOf(path)} has more digits than a number can hold; put it in quotes.`);
  }
  const isScalar = typeof found === "boolean" || (typeof found === "number" && Number.isFinite(found));
  return isScalar ? String(found) : checkText(found, path, faultAt);
}

function checkTexts(found: unknown, field: string, faultAt: FaultAt): readonly string[] {
  if (!Array.isArray(found)) {
    throw faultAt([field], `${quote(field)} must be an array of strings, not ${kindOf(found)}.`);
  }
  const texts: unknown[] = [...found];
  return texts.every(isText)
    ? texts
    : texts.map((element, index) => checkText(element, [field, index], faultAt));
}

/** A map without its nulls; the same map if it has none. */
export function withoutNulls(texts: MapOfNullableTexts): MapOfTexts {
  if (!Object.values(texts).includes(null)) return texts as MapOfTexts;
  const kept = createMap<string>();
  for (const name of Object.keys(texts)) {
    const text = texts[name];
    if (typeof text === "string") kept[name] = text;
  }
  return kept;
}

function checkFlag(found: unknown, field: string, faultAt: FaultAt): boolean {
  if (typeof found === "boolean") return found;
  throw faultAt([field], `${quote(field)} must be true or false, not ${kindOf(found)}.`);
}

function checkOneOf<T extends string>(
  found: unknown,
  field: string,
  values: readonly T[],
  faultAt: FaultAt,
): T {
  const value = values.find((allowed) => allowed === found);
  if (value !== undefined) return value;
  throw faultAt([field], `${quote(field)} must be ${values.map(quote).join(" or ")}, not ${kindOf(found)}.`);
}

function checkAmount(found: unknown, field: string, faultAt: FaultAt): number {
  if (typeof found === "number" && Number.isFinite(found) && found >= 0) return found;
  const kind = typeof found === "number" ? String(found) : kindOf(found);
  throw faultAt([field], `${quote(field)} must be a finite number of at least 0, not ${kind}.`);
}

function checkTime(found: unknown, field: string, unitMs: number, faultAt: FaultAt): number {
  const written = checkAmount(found, field, faultAt);
  // Seconds with decimals, such as 1.1, would leave fractions of a millisecond behind.
  const time = unitMs === 1 ? written : Math.round(written * unitMs);
  if (time <= MAX_TIMER_MS) return time;
  throw faultAt([field], `${quote(field)} must be at most ${MAX_TIMER_MS} ms; write 0 for no limit.`);
}
