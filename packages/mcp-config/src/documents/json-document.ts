import type { SourceLocation } from "@jackfield/mcp-core";
import { invalidSource } from "../sources/config-problem.ts";
import type { ConfigDocument, ConfigFormat, DuplicateKey } from "./config-document.ts";
import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import { type JsonPath, jsonPointer } from "./json-path.ts";
import { JsonScanner } from "./json-scanner.ts";
import { createMap, isMap, type JsonMap } from "./json-value.ts";
import { createLineCounter, type LineCounter } from "./line-counter.ts";

/** The formats that this parser reads. */
export type JsonFormat = Extract<ConfigFormat, "strict-json" | "json" | "jsonc">;

/**
 * Parses JSON, with or without comments. Nothing is guessed or repaired.
 *
 * It is our own, because parsers that tell positions take longer to be loaded than all configuration takes to be read.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseJsonDocument(text: string, file: string, format: JsonFormat): ConfigDocument {
  const parser = new JsonParser(text, file, format);
  parser.parse();
  return parser;
}

interface Frame {
  /** Where its members or elements stand. */
  readonly offsets: Offsets;
  /** Where keys that stand more than once stand first. */
  firsts?: Map<string, number>;
  /** The member that is being read. */
  key: string | number;
}

/** Offsets by key or index. */
type Offsets = Map<string | number, number>;

class JsonParser implements ConfigDocument {
  root: unknown;
  looseness?: SourceLocation;
  readonly duplicates: DuplicateKey[] = [];
  readonly forbidden: SourceLocation[] = [];
  readonly #file: string;
  readonly #format: JsonFormat;
  readonly #scanner: JsonScanner;
  readonly #lines: LineCounter;
  readonly #offsets = new Map<object, Offsets>();
  readonly #open: Frame[] = [];
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
    if (!scanner.isAtEnd()) throw scanner.fault("the document has ended, but something follows");
  }

  locate(path: JsonPath): SourceLocation {
    let value = this.root;
    let offset = this.#rootOffset;
    for (const step of path) {
      const found = isContainer(value) ? this.#offsets.get(value)?.get(step) : undefined;
      if (found === undefined) break;
      offset = found;
      value = (value as JsonMap)[step];
    }
    return this.#at(offset, path);
  }

  #value(): unknown {
    const scanner = this.#scanner;
    if (scanner.take("{")) return this.#object();
    return scanner.take("[") ? this.#array() : scanner.scalar();
  }

  #object(): JsonMap {
    const scanner = this.#scanner;
    const map = createMap();
    const frame = this.#enter(map);
    for (let isMore = !this.#isEnd("}"); isMore; isMore = this.#goesOn("}")) {
      const offset = scanner.offset();
      const key = scanner.key();
      frame.key = key;
      scanner.skipSpace();
      if (!scanner.take(":")) throw scanner.fault("a colon is expected after the key");
      scanner.skipSpace();
      if (key === FORBIDDEN_KEY && this.#format !== "strict-json") {
        this.forbidden.push(this.#at(offset, this.#path()));
        this.#value();
        continue;
      }
      const before = frame.offsets.get(key);
      if (before !== undefined) this.#repeat(frame, key, before, offset);
      frame.offsets.set(key, offset);
      map[key] = this.#value();
    }
    this.#open.pop();
    return map;
  }

  #array(): unknown[] {
    const array: unknown[] = [];
    const frame = this.#enter(array);
    for (let isMore = !this.#isEnd("]"); isMore; isMore = this.#goesOn("]")) {
      frame.key = array.length;
      frame.offsets.set(array.length, this.#scanner.offset());
      array.push(this.#value());
    }
    this.#open.pop();
    return array;
  }

  #enter(container: JsonMap | unknown[]): Frame {
    if (this.#open.length === DEEPEST_NESTING) {
      const text = `values are nested more than ${DEEPEST_NESTING} levels deep.`;
      throw invalidSource(this.#at(this.#scanner.offset() - 1), text);
    }
    const offsets: Offsets = new Map();
    this.#offsets.set(container, offsets);
    const frame: Frame = { offsets, key: "" };
    this.#open.push(frame);
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

  /** Strict JSON would have stopped here. */
  #remark(offset: number): void {
    if (this.#format === "json") this.looseness ??= this.#at(offset, []);
  }

  #repeat(frame: Frame, key: string, before: number, offset: number): void {
    frame.firsts ??= new Map();
    const first = frame.firsts.get(key) ?? before;
    frame.firsts.set(key, first);
    const path = this.#path();
    this.duplicates.push({ path, first: this.#at(first, path), again: this.#at(offset, path) });
  }

  #path(): JsonPath {
    return this.#open.map(({ key }) => key);
  }

  #at(offset: number, path?: JsonPath): SourceLocation {
    const { line, column } = this.#lines.placeOf(offset);
    const place = { file: this.#file, line, column };
    return path === undefined ? place : { ...place, pointer: jsonPointer(path) };
  }
}

function isContainer(value: unknown): value is JsonMap | unknown[] {
  return Array.isArray(value) || isMap(value);
}
