import { type JsonPath, jsonPointer } from "./json-path.ts";
import type { Place, PointerPlaces } from "./pointer-places.ts";

/**
 * Finds the positions of the keys and array elements of a TOML text. The parser reports none, so this walks over the text again.
 * The parser has found the text valid, so this only has to know where values end, not what they mean.
 */
export function findTomlPlaces(text: string): TomlPlaces {
  const scanner = new TomlScanner(text);
  scanner.scan();
  return scanner;
}

/** Positions and numbers by JSON pointer. */
export interface TomlPlaces {
  readonly places: PointerPlaces;
  /** The spelling of each number. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** What ends a number, a boolean or a date. */
const END_OF_SCALAR = /[,\]}\r\n#]/g;
const SPACE = /[ \t]+/y;
/** Between statements and inside arrays and inline tables, line ends and comments are space as well. */
const GAP = /(?:[ \t\r\n]+|#[^\n]*)+/y;
const BARE_KEY = /[^\s.=\]"'#]+/y;
const BASIC_TEXT = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const LITERAL_TEXT = /'[^']*'/y;

class TomlScanner implements TomlPlaces {
  readonly places = new Map<string, Place>();
  readonly numbers = new Map<string, string>();
  readonly #text: string;
  readonly #lineStarts: readonly number[];
  /** How many elements an array of tables has so far, by pointer. */
  readonly #tableArrays = new Map<string, number>();
  #at = 0;
  #line = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  }

  scan(): void {
    let table: JsonPath = [];
    for (this.#skip(GAP); this.#at < this.#text.length; this.#skip(GAP)) {
      const before = this.#at;
      if (this.#text[this.#at] === "[") table = this.#header();
      else this.#member(table);
      if (this.#at === before) return;
    }
  }

  /** `[a.b]`, or `[[a.b]]` for one more element of an array of tables. */
  #header(): JsonPath {
    const place = this.#place();
    const isElement = this.#text.startsWith("[[", this.#at);
    this.#at += isElement ? 2 : 1;
    const path: (string | number)[] = [];
    for (const { key } of this.#keys()) {
      const elements = this.#tableArrays.get(jsonPointer(path));
      if (elements !== undefined) path.push(elements - 1);
      path.push(key);
      this.#mark(path, place);
    }
    const pointer = jsonPointer(path);
    const elements = this.#tableArrays.get(pointer);
    if (isElement) this.#tableArrays.set(pointer, (elements ?? 0) + 1);
    if (isElement || elements !== undefined) path.push(isElement ? (elements ?? 0) : (elements ?? 1) - 1);
    this.#mark(path, place);
    this.#at += isElement ? 2 : 1;
    return path;
  }

  /** `a.b = value` in a table. */
  #member(table: JsonPath): void {
    let path = table;
    for (const { key, place } of this.#keys()) {
      path = [...path, key];
      this.#mark(path, place);
    }
    this.#skip(SPACE);
    if (this.#text[this.#at] === "=") this.#at += 1;
    this.#skip(SPACE);
    this.#value(path);
  }

  /** One key or several with dots between them. */
  #keys(): { key: string; place: Place }[] {
    const keys: { key: string; place: Place }[] = [];
    do {
      this.#skip(SPACE);
      const place = this.#place();
      keys.push({ key: this.#key(), place });
      this.#skip(SPACE);
    } while (this.#text[this.#at] === "." && ++this.#at);
    return keys;
  }

  #key(): string {
    const quoted = this.#skip(BASIC_TEXT);
    if (quoted !== undefined) return unescapeKey(quoted);
    const literal = this.#skip(LITERAL_TEXT);
    return literal === undefined ? (this.#skip(BARE_KEY) ?? "") : literal.slice(1, -1);
  }

  #value(path: JsonPath): void {
    const first = this.#text[this.#at];
    if (first === "[") this.#array(path);
    else if (first === "{") this.#inlineTable(path);
    else if (this.#text.startsWith('"""', this.#at)) this.#skipLongText('"');
    else if (this.#text.startsWith("'''", this.#at)) this.#skipLongText("'");
    else if (first === '"') this.#skip(BASIC_TEXT);
    else if (first === "'") this.#skip(LITERAL_TEXT);
    else this.#scalar(path);
  }

  #array(path: JsonPath): void {
    this.#items("]", (index) => {
      const element = [...path, index];
      this.#mark(element, this.#place());
      this.#value(element);
    });
  }

  #inlineTable(path: JsonPath): void {
    this.#items("}", () => this.#member(path));
  }

  #items(end: string, scanItem: (index: number) => void): void {
    this.#at += 1;
    for (let index = 0; this.#at < this.#text.length; index += 1) {
      this.#skip(GAP);
      if (this.#text[this.#at] !== end) scanItem(index);
      this.#skip(GAP);
      const ended = this.#text[this.#at] !== ",";
      this.#at += 1;
      if (ended) return;
    }
  }

  /** Three quotes end it, and up to two more before them belong to the text. */
  #skipLongText(quote: '"' | "'"): void {
    const end = quote.repeat(3);
    this.#at += 3;
    while (this.#at < this.#text.length && !this.#text.startsWith(end, this.#at)) {
      this.#at += quote === '"' && this.#text[this.#at] === "\\" ? 2 : 1;
    }
    this.#at += 3;
    while (this.#text[this.#at] === quote) this.#at += 1;
  }

  #scalar(path: JsonPath): void {
    const from = this.#at;
    END_OF_SCALAR.lastIndex = from;
    this.#at = END_OF_SCALAR.exec(this.#text)?.index ?? this.#text.length;
    const written = this.#text.slice(from, this.#at).trim();
    if (/^[+-]?\d/.test(written)) this.numbers.set(jsonPointer(path), written);
  }

  #skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #mark(path: JsonPath, place: Place): void {
    const pointer = jsonPointer(path);
    if (!this.places.has(pointer)) this.places.set(pointer, place);
  }

  /** Positions are looked up in the order of the text, so the line never goes back. */
  #place(): Place {
    while ((this.#lineStarts[this.#line + 1] ?? Number.POSITIVE_INFINITY) <= this.#at) this.#line += 1;
    return { line: this.#line + 1, column: this.#at - (this.#lineStarts[this.#line] ?? 0) + 1 };
  }
}

/** TOML's escapes are JSON's and a few more, which no key in use has. */
function unescapeKey(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}
