/** Makes the error for a fault at an offset. */
export type FaultAtOffset = (offset: number, fault: string) => Error;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const LITERAL = /(?:true|false|null)(?![\w])/y;
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

const WHITE_SPACE = /[ \t\r\n]+/y;

const SLASH = 0x2f;
const LAST_SPACE = 0x20;

/** Walks over a JSON text token by token (RFC 8259). */
export class JsonScanner {
  readonly #text: string;
  readonly #faultAt: FaultAtOffset;
  readonly #onComment: ((offset: number) => void) | undefined;
  #at = 0;

  /** @param onComment - missing where comments are a fault */
  constructor(text: string, faultAt: FaultAtOffset, onComment: ((offset: number) => void) | undefined) {
    this.#text = text;
    this.#faultAt = faultAt;
    this.#onComment = onComment;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The current position, in UTF-16 code units from the beginning. */
  offset(): number {
    return this.#at;
  }

  /** The text from an offset up to the current position. */
  since(offset: number): string {
    return this.#text.slice(offset, this.#at);
  }

  /** An error at the current position. */
  fault(text: string): Error {
    return this.#faultAt(this.#at, text);
  }

  /** Takes one character if it is the given one. */
  take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Skips white space and comments. */
  skipSpace(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code === SLASH) this.#at = this.#skipComment(this.#at) + 1;
      else if (code > LAST_SPACE || Number.isNaN(code)) return;
      else if (!this.#skipWhiteSpace()) return;
    }
  }

  /** Skips a whole run by regular expression: files are indented, and this is called between any two tokens. */
  #skipWhiteSpace(): boolean {
    WHITE_SPACE.lastIndex = this.#at;
    if (!WHITE_SPACE.test(this.#text)) return false;
    this.#at = WHITE_SPACE.lastIndex;
    return true;
  }

  /** A member's name. */
  key(): string {
    if (this.#text[this.#at] === '"') return this.#string();
    const isLetter = /[\w']/.test(this.#text[this.#at] ?? "");
    const rule = isLetter ? "" : "; JSON allows no comma after the last member";
    throw this.fault(`a key in double quotes is expected${rule}`);
  }

  /** A string, a number, `true`, `false` or `null`. */
  scalar(): string | number | boolean | null {
    const first = this.#text[this.#at];
    if (first === '"') return this.#string();
    const literal = this.#match(LITERAL);
    if (literal !== undefined) return LITERALS.get(literal) ?? null;
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number);
    if (first === undefined) throw this.fault("a value is expected, but the text ends");
    if (/[-+.\d]/.test(first)) throw this.fault("this is not a number");
    if (/[\]},]/.test(first)) {
      throw this.fault("a value is expected; JSON allows no comma after the last element");
    }
    throw this.fault("this is not a JSON value");
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Built-in functions find the closing quote and decode escapes, which is many times faster. */
  #string(): string {
    const text = this.#text;
    const from = this.#at;
    let to = text.indexOf('"', from + 1);
    while (to !== -1 && isEscaped(text, to)) to = text.indexOf('"', to + 1);
    const body = text.slice(from + 1, to === -1 ? text.length : to);
    if (to === -1) throw this.fault(UNCLOSED);
    const value = IS_PLAIN.test(body) ? body : this.#decode(body);
    this.#at = to + 1;
    return value;
  }

  #decode(body: string): string {
    if (/[\r\n]/.test(body)) throw this.fault(UNCLOSED);
    if (body.includes("\t")) throw this.fault(CONTROL_CHARACTER);
    try {
      return JSON.parse(`"${body}"`) as string;
    } catch {
      if (HAS_CONTROL.test(body)) throw this.fault(CONTROL_CHARACTER);
      throw this.fault("this string contains a backslash that does not start a JSON escape; write it twice");
    }
  }

  /** @returns the offset of the comment's last character */
  #skipComment(at: number): number {
    this.#at = at;
    const text = this.#text;
    const isLine = text.startsWith("//", at);
    if (!isLine && !text.startsWith("/*", at)) throw this.fault("this is not a JSON value");
    if (!this.#onComment) throw this.fault("JSON allows no comments");
    this.#onComment(at);
    const end = text.indexOf(isLine ? "\n" : "*/", at + 2);
    if (end === -1 && !isLine) throw this.fault("this comment is not closed");
    const stop = end === -1 ? text.length : isLine ? end : end + 2;
    return stop - 1;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a JSON string may not contain
const HAS_CONTROL = /[\u0000-\u001f]/;
/** Contains neither escapes nor control characters, so nothing has to be decoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a JSON string may not contain
const IS_PLAIN = /^[^\u0000-\u001f\\]*$/;
const UNCLOSED = "this string is not closed on its line";
const CONTROL_CHARACTER = "this string contains a control character; write it as an escape";

/** Whether an odd number of backslashes stands before a quote. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text[at - 1] === "\\") at -= 1;
  return (quote - at) % 2 === 1;
}
