import type { SourceLocation } from "@jackfield/mcp-core";
import { invalidSource } from "../sources/config-problem.ts";
import type { ConfigDocument, ConfigFormat, DuplicateKey } from "./config-document.ts";
import { DEEPEST_NESTING, FORBIDDEN_KEY } from "./document-limits.ts";
import { type JsonPath, jsonPointer } from "./json-path.ts";
import { JsonScanner } from "./json-scanner.ts";
import { createMap, isMap, type JsonMap } from "./json-value.ts";
import type { Place } from "./pointer-places.ts";

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
  readonly container: JsonMap | unknown[];
  readonly places: Map<string | number, Place>;
  /** Where keys that stand more than once stand first. */
  firsts?: Map<string, Place>;
  /** The member that is being read. */
  key: string | number;
}

class JsonParser implements ConfigDocument {
  root: unknown;
  looseness?: SourceLocation;
  readonly duplicates: DuplicateKey[] = [];
  readonly forbidden: SourceLocation[] = [];
  readonly #file: string;
  readonly #format: JsonFormat;
  readonly #scanner: JsonScanner;
  readonly #places = new Map<object, Frame["places"]>();
  readonly #open: Frame[] = [];
  #rootPlace: Place = { line: 1, column: 1 };

  constructor(text: string, file: string, format: JsonFormat) {
    this.#file = file;
    this.#format = format;
    this.#scanner = new JsonScanner(
      text,
      (place, fault) => invalidSource({ file, ...place }, `this is not valid JSON: ${fault}.`),
      format === "strict-json" ? undefined : (place) => this.#remark(place),
    );
  }

  parse(): void {
    const scanner = this.#scanner;
    scanner.skipSpace();
    if (scanner.isAtEnd()) return;
    this.#rootPlace = scanner.place();
    this.root = this.#value();
    scanner.skipSpace();
    if (!scanner.isAtEnd()) throw scanner.fault("the document has ended, but something follows");
  }

  locate(path: JsonPath): SourceLocation {
    let value = this.root;
    let place = this.#rootPlace;
    for (const step of path) {
      const found = isContainer(value) ? this.#places.get(value)?.get(step) : undefined;
      if (!found) break;
      place = found;
      value = (value as JsonMap)[step];
    }
    return { file: this.#file, line: place.line, column: place.column, pointer: jsonPointer(path) };
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
      const place = scanner.place();
      const key = scanner.key();
      frame.key = key;
      scanner.skipSpace();
      if (!scanner.take(":")) throw scanner.fault("a colon is expected after the key");
      scanner.skipSpace();
      if (key === FORBIDDEN_KEY && this.#format !== "strict-json") {
        this.forbidden.push(this.#at(place, this.#path()));
        this.#value();
        continue;
      }
      const before = frame.places.get(key);
      if (before) this.#repeat(frame, key, before, place);
      frame.places.set(key, place);
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
      frame.places.set(array.length, this.#scanner.place());
      array.push(this.#value());
    }
    this.#open.pop();
    return array;
  }

  #enter(container: Frame["container"]): Frame {
    if (this.#open.length === DEEPEST_NESTING) {
      const place = this.#scanner.placeBefore();
      const text = `values are nested more than ${DEEPEST_NESTING} levels deep.`;
      throw invalidSource({ file: this.#file, ...place }, text);
    }
    const places: Frame["places"] = new Map();
    this.#places.set(container, places);
    const frame: Frame = { container, places, key: "" };
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
    const comma = scanner.place();
    if (!scanner.take(",")) throw scanner.fault("a comma is expected between two members or elements");
    scanner.skipSpace();
    if (this.#format === "strict-json" || !scanner.take(end)) return true;
    this.#remark(comma);
    return false;
  }

  /** Strict JSON would have stopped here. */
  #remark(place: Place): void {
    if (this.#format === "json") this.looseness ??= this.#at(place, []);
  }

  #repeat(frame: Frame, key: string, before: Place, place: Place): void {
    frame.firsts ??= new Map();
    const first = frame.firsts.get(key) ?? before;
    frame.firsts.set(key, first);
    const path = this.#path();
    this.duplicates.push({ path, first: this.#at(first, path), again: this.#at(place, path) });
  }

  #path(): JsonPath {
    return this.#open.map(({ key }) => key);
  }

  #at(place: Place, path: JsonPath): SourceLocation {
    return { file: this.#file, ...place, pointer: jsonPointer(path) };
  }
}

function isContainer(value: unknown): value is JsonMap | unknown[] {
  return Array.isArray(value) || isMap(value);
}
