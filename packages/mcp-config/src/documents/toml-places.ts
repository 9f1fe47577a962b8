import { DEEPEST_NESTING } from "./document-limits.ts";
import type { PlacedValue } from "./placed-value.ts";

/**
 * Finds the positions of the keys and array elements of a TOML text, and the spellings of its numbers. The parser reports neither.
 * This only has to know where values end, not what they mean. At what cannot be TOML it stops, as the parser does.
 *
 * @param root - the value that all others are added to
 * @param onTooDeep - called for a value at level 64 that has members; must throw
 */
export function findTomlPlaces(
  text: string,
  root: PlacedValue,
  onTooDeep: (value: PlacedValue) => never,
): void {
  new TomlScanner(text, root, onTooDeep).scan();
}

/** What ends a number, a boolean or a date. */
const END_OF_SCALAR = /[,\]}\r\n#]/g;
const SPACE = /[ \t]+/y;
const SPACE_AND_LINE_ENDS = /[ \t\r\n]+/y;
const COMMENT = /#[^\n]*/y;
const BARE_KEY = /[^\s.=\]"'#]+/y;
/** A pattern for the whole text would keep a state for every escape, and run out of memory. */
const PART_OF_BASIC_TEXT = /[^"\\]+/y;
const LITERAL_TEXT = /'[^']*'/y;
const BYTE_ORDER_MARK = "\ufeff";

class TomlScanner {
  readonly #text: string;
  readonly #root: PlacedValue;
  readonly #onTooDeep: (value: PlacedValue) => never;
  /** How many elements an array of tables has so far. */
  readonly #tableArrays = new Map<PlacedValue, number>();
  #at = 0;

  constructor(text: string, root: PlacedValue, onTooDeep: (value: PlacedValue) => never) {
    this.#text = text;
    this.#root = root;
    this.#onTooDeep = onTooDeep;
  }

  scan(): void {
    let table = this.#root;
    if (this.#text.startsWith(BYTE_ORDER_MARK)) this.#at += 1;
    for (this.#skipGap(); this.#at < this.#text.length; this.#skipGap()) {
      const before = this.#at;
      if (this.#text[this.#at] === "[") table = this.#header();
      else this.#member(table);
      if (this.#at === before) return;
    }
  }

  /** `[a.b]`, or `[[a.b]]` for one more element of an array of tables. */
  #header(): PlacedValue {
    const from = this.#at;
    const isElement = this.#text.startsWith("[[", from);
    this.#at += isElement ? 2 : 1;
    let table = this.#root;
    do table = this.#enter(this.#lastElement(table), this.#key(), from);
    while (this.#skipDot());
    if (isElement) this.#tableArrays.set(table, (this.#tableArrays.get(table) ?? 0) + 1);
    this.#at += isElement ? 2 : 1;
    return this.#lastElement(table, from);
  }

  /** The last element of an array of tables; of any other value, the value itself. */
  #lastElement(value: PlacedValue, from?: number): PlacedValue {
    const elements = this.#tableArrays.get(value);
    return elements === undefined ? value : this.#enter(value, elements - 1, from);
  }

  /** `a.b = value` in a table. */
  #member(table: PlacedValue): void {
    let value = table;
    do {
      this.#skip(SPACE);
      const from = this.#at;
      value = this.#enter(value, this.#key(), from);
    } while (this.#skipDot());
    if (this.#text[this.#at] === "=") this.#at += 1;
    this.#skip(SPACE);
    this.#value(value);
  }

  /** A key of one of the names with dots between them. */
  #key(): string {
    this.#skip(SPACE);
    const from = this.#at;
    if (this.#skipBasicText()) return unescapeKey(this.#text.slice(from, this.#at));
    const literal = this.#skip(LITERAL_TEXT);
    return literal === undefined ? (this.#skip(BARE_KEY) ?? "") : literal.slice(1, -1);
  }

  /** Whether another name follows. */
  #skipDot(): boolean {
    this.#skip(SPACE);
    if (this.#text[this.#at] !== ".") return false;
    this.#at += 1;
    return true;
  }

  #value(value: PlacedValue): void {
    const first = this.#text[this.#at];
    if (first === "[") this.#array(value);
    else if (first === "{") this.#items("}", () => this.#member(value));
    else if (this.#text.startsWith('"""', this.#at)) this.#skipLongText('"');
    else if (this.#text.startsWith("'''", this.#at)) this.#skipLongText("'");
    else if (first === '"') this.#skipBasicText();
    else if (first === "'") this.#skip(LITERAL_TEXT);
    else value.written = this.#number();
  }

  #array(value: PlacedValue): void {
    this.#items("]", (index) => this.#value(this.#enter(value, index, this.#at)));
  }

  #items(end: string, scanItem: (index: number) => void): void {
    this.#at += 1;
    for (let index = 0; this.#at < this.#text.length; index += 1) {
      this.#skipGap();
      if (this.#text[this.#at] !== end) scanItem(index);
      this.#skipGap();
      const ended = this.#text[this.#at] !== ",";
      this.#at += 1;
      if (ended) return;
    }
  }

  /** Whether there was a text in double quotes. */
  #skipBasicText(): boolean {
    if (this.#text[this.#at] !== '"') return false;
    this.#at += 1;
    for (this.#skip(PART_OF_BASIC_TEXT); this.#text[this.#at] === "\\"; this.#skip(PART_OF_BASIC_TEXT))
      this.#at += 2;
    // At the end of the file if the text is never closed.
    this.#at += 1;
    return true;
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

  /** Skips a scalar that is no text; its spelling if it begins as a number. */
  #number(): string | undefined {
    const from = this.#at;
    END_OF_SCALAR.lastIndex = from;
    this.#at = END_OF_SCALAR.exec(this.#text)?.index ?? this.#text.length;
    const written = this.#text.slice(from, this.#at).trim();
    return /^[+-]?\d/.test(written) ? written : undefined;
  }

  /** Between statements and inside arrays and inline tables, line ends and comments are space as well. */
  #skipGap(): void {
    do this.#skip(SPACE_AND_LINE_ENDS);
    while (this.#skip(COMMENT) !== undefined);
  }

  #skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** A member or an element, which begins at an offset unless it has begun before. */
  #enter(container: PlacedValue, key: string | number, from?: number): PlacedValue {
    if (container.depth >= DEEPEST_NESTING) this.#onTooDeep(container);
    const member = container.enter(key);
    member.offset ??= from;
    return member;
  }
}

/** Anything else after a backslash stands for itself; where it may not, the parser says so. */
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U((?:0010|000[\da-fA-F])[\da-fA-F]{4})|(.))/g;
const SINGLE = new Map(Object.entries({ b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\x1b" }));

function unescapeKey(quoted: string): string {
  return quoted.slice(1, -1).replace(ESCAPE, (_all, short, middle, long, single) => {
    const code = short ?? middle ?? long;
    return code === undefined
      ? (SINGLE.get(single) ?? single)
      : String.fromCodePoint(Number.parseInt(code, 16));
  });
}
