import { isRecord, type SourceLocation } from "@jackfield/mcp-core";
import { invalidSource } from "../sources/config-problem.ts";
import type { ConfigDocument, ConfigFormat, DuplicateKey } from "./config-document.ts";
import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import { ForbiddenKeys } from "./forbidden-keys.ts";
import { JsonFrame, RepeatedKey } from "./json-frame.ts";
import { type JsonPath, jsonPointer } from "./json-path.ts";
import { JsonScanner } from "./json-scanner.ts";
import type { JsonStrings } from "./json-strings.ts";
import { createMap, type JsonMap } from "./json-value.ts";
import { createLineCounter, type LineCounter } from "./line-counter.ts";
import { MemberOffsets } from "./member-offsets.ts";
import { isUnsafe, keepSpelling } from "./number-spellings.ts";
import { type KeyNumbers, type PlainJson, readPlainJson } from "./plain-json.ts";

/** The formats that this parser reads. */
export type JsonFormat = Extract<ConfigFormat, "strict-json" | "json" | "jsonc">;

/**
 * Parses JSON, with or without comments. Nothing is guessed or repaired.
 *
 * It is our own, because loading a parser that reports positions takes longer than reading all configuration.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseJsonDocument(text: string, file: string, format: JsonFormat): ConfigDocument {
  const plain = readPlainJson(text);
  return plain ? new PlainDocument(text, file, plain) : parse(text, file, format);
}

function parse(text: string, file: string, format: JsonFormat): ConfigDocument {
  const parser = new JsonParser(text, file, format);
  parser.parse();
  return parser;
}

/** Up to this many keys, a linear search is as fast as a map. */
const FEW = 16;

/** A document that `readPlainJson` was able to read. */
class PlainDocument implements ConfigDocument {
  readonly root: unknown;
  readonly duplicates: readonly DuplicateKey[] = [];
  readonly forbidden = new ForbiddenKeys();
  readonly #text: string;
  readonly #file: string;
  readonly #strings: JsonStrings;
  readonly #keyNumbers: KeyNumbers;
  /** The keys of each object in which a member was located, in their order; with their indexes, if they are many. */
  readonly #orders = new Map<object, readonly string[] | ReadonlyMap<string, number>>();
  readonly #lines: LineCounter;
  readonly #rootOffset: number;
  #parsed: ConfigDocument | undefined;

  constructor(text: string, file: string, { root, strings, keyNumbers }: PlainJson) {
    this.root = root;
    this.#rootOffset = text.search(/[^ \t\r\n]/);
    this.#text = text;
    this.#file = file;
    this.#strings = strings;
    this.#keyNumbers = keyNumbers;
    this.#lines = createLineCounter(text);
  }

  locate(path: JsonPath): SourceLocation {
    let value = this.root;
    let keyNumbers = this.#keyNumbers;
    let found: number | undefined;
    for (let depth = 0; depth < path.length; depth += 1) {
      const step = path[depth] as string | number;
      if (Array.isArray(value)) return this.#locateExactly(path);
      const index = isRecord(value) ? this.#indexOf(String(step), value) : -1;
      if (index === -1) break;
      found = keyNumbers[2 * index] as number;
      keyNumbers = keyNumbers[2 * index + 1] as KeyNumbers;
      value = (value as JsonMap)[step];
    }
    const offset = found === undefined ? this.#rootOffset : this.#strings.offsetOf(found);
    const { line, column } = this.#lines.placeOf(offset);
    return { file: this.#file, line, column, pointer: jsonPointer(path) };
  }

  /** The index of a key in an object; -1 if the object does not have it. */
  #indexOf(key: string, map: JsonMap): number {
    let order = this.#orders.get(map);
    if (order === undefined) {
      const keys = Object.keys(map);
      order = keys.length <= FEW ? keys : new Map(keys.map((known, index) => [known, index]));
      this.#orders.set(map, order);
    }
    return order instanceof Map ? (order.get(key) ?? -1) : (order as readonly string[]).indexOf(key);
  }

  /** Positions in arrays are rarely needed, so the text is only parsed in full then. */
  #locateExactly(path: JsonPath): SourceLocation {
    this.#parsed ??= parse(this.#text, this.#file, "strict-json");
    return this.#parsed.locate(path);
  }
}

class JsonParser implements ConfigDocument {
  root: unknown;
  looseness?: SourceLocation;
  readonly duplicates: DuplicateKey[] = [];
  readonly forbidden = new ForbiddenKeys();
  readonly #file: string;
  readonly #format: JsonFormat;
  readonly #scanner: JsonScanner;
  readonly #lines: LineCounter;
  readonly #members = new Map<object, MemberOffsets>();
  readonly #elements = new Map<object, number[]>();
  /** The innermost object or array that is being read. */
  #frame: JsonFrame | undefined;
  #rootOffset = 0;

  constructor(text: string, file: string, format: JsonFormat) {
    this.#file = file;
    this.#format = format;
    this.#lines = createLineCounter(text);
    this.#scanner = new JsonScanner(
      text,
      (offset, fault) => invalidSource(this.#at(offset), `this is not valid JSON: ${fault}.`),
      format === "strict-json" ? undefined : (offset) => this.#remark(offset),
    );
  }

  parse(): void {
    const scanner = this.#scanner;
    scanner.skipSpace();
    if (scanner.isAtEnd()) return;
    this.#rootOffset = scanner.offset();
    this.root = this.#value();
    scanner.skipSpace();
    if (!scanner.isAtEnd()) throw scanner.fault("there is more text after the end of the document");
  }

  locate(path: JsonPath): SourceLocation {
    let value = this.root;
    let offset = this.#rootOffset;
    for (const step of path) {
      const found = this.#offsetIn(value, step);
      if (found === undefined) break;
      offset = found;
      value = (value as JsonMap)[step];
    }
    return this.#at(offset, jsonPointer(path));
  }

  #offsetIn(container: unknown, step: string | number): number | undefined {
    if (Array.isArray(container)) return this.#elements.get(container)?.[Number(step)];
    return isRecord(container) ? this.#members.get(container)?.of(String(step)) : undefined;
  }

  #value(): unknown {
    const scanner = this.#scanner;
    if (scanner.take("{")) return this.#object();
    return scanner.take("[") ? this.#array() : scanner.scalar();
  }

  #object(): JsonMap {
    const scanner = this.#scanner;
    const map = createMap();
    const frame = this.#enter();
    const offsets = new MemberOffsets();
    this.#members.set(map, offsets);
    for (let isMore = !this.#isEnd("}"); isMore; isMore = this.#goesOn("}")) {
      const offset = scanner.offset();
      const key = scanner.key();
      frame.key = key;
      scanner.skipSpace();
      if (!scanner.take(":")) throw scanner.fault("a colon is expected after the key");
      scanner.skipSpace();
      if (key === FORBIDDEN_KEY && this.#format !== "strict-json") {
        this.forbidden.add(() => this.#at(offset, frame.pointerOf(key)));
        this.#value();
        continue;
      }
      if (Object.hasOwn(map, key)) this.#repeat(frame, key, offsets.of(key) ?? offset, offset);
      offsets.add(key, offset);
      const valueOffset = scanner.offset();
      const value = this.#value();
      if (typeof value === "number") keepSpelling(map, key, value, scanner.since(valueOffset));
      map[key] = value;
    }
    this.#frame = frame.left();
    return map;
  }

  #array(): unknown[] {
    const array: unknown[] = [];
    const frame = this.#enter();
    const offsets: number[] = [];
    this.#elements.set(array, offsets);
    for (let isMore = !this.#isEnd("]"); isMore; isMore = this.#goesOn("]")) {
      const index = array.length;
      frame.key = index;
      const offset = this.#scanner.offset();
      offsets.push(offset);
      const value = this.#value();
      if (isUnsafe(value)) keepSpelling(array, String(index), value, this.#scanner.since(offset));
      array.push(value);
    }
    this.#frame = frame.left();
    return array;
  }

  #enter(): JsonFrame {
    const frame = new JsonFrame(this.#frame);
    if (frame.depth === DEEPEST_NESTING) {
      const text = `values are nested more than ${DEEPEST_NESTING} levels deep.`;
      throw invalidSource(this.#at(this.#scanner.offset() - 1), text);
    }
    this.#frame = frame;
    return frame;
  }

  #isEnd(end: "}" | "]"): boolean {
    const scanner = this.#scanner;
    scanner.skipSpace();
    if (!scanner.isAtEnd()) return scanner.take(end);
    throw scanner.fault(end === "}" ? "a closing brace is missing" : "a closing bracket is missing");
  }

  /** Whether another member or element follows. */
  #goesOn(end: "}" | "]"): boolean {
    if (this.#isEnd(end)) return false;
    const scanner = this.#scanner;
    const comma = scanner.offset();
    if (!scanner.take(",")) throw scanner.fault("a comma is expected between two members or elements");
    scanner.skipSpace();
    if (this.#format === "strict-json" || !scanner.take(end)) return true;
    this.#remark(comma);
    return false;
  }

  /** Records the first deviation from strict JSON, if the format is `json`. */
  #remark(offset: number): void {
    if (this.#format === "json") this.looseness ??= this.#at(offset, "");
  }

  #repeat(frame: JsonFrame, key: string, before: number, offset: number): void {
    const first = frame.firsts?.get(key) ?? before;
    frame.firsts ??= new Map();
    frame.firsts.set(key, first);
    this.duplicates.push(new RepeatedKey(frame, key, first, offset, this.#locateOffset));
  }

  readonly #locateOffset = (offset: number, pointer: string): SourceLocation => this.#at(offset, pointer);

  #at(offset: number, pointer?: string): SourceLocation {
    const { line, column } = this.#lines.placeOf(offset);
    const place = { file: this.#file, line, column };
    return pointer === undefined ? place : { ...place, pointer };
  }
}
