import { SHORTEST_CREDENTIAL, spellingsOf } from "./credential-spellings.ts";
import { isMcpError, McpError } from "./mcp-error.ts";
import { thrownMessage } from "./thrown-text.ts";

/** The replacement for a credential. */
export const REDACTED = "[redacted]";

/** Fields of log lines and errors that identify something. They are never changed, whatever a credential is equal to. */
const IDENTIFIERS: ReadonlySet<string | symbol> = new Set([
  "server",
  "tool",
  "code",
  "outcome",
  "phase",
  "location",
]);

/** Data below this depth is left out of log lines: no person reads it there. */
const DEEPEST_DATA = 64;

/** Where a text was cut, so that it may begin with the end of a credential, or end with the beginning of one. */
export interface TextCut {
  readonly start?: boolean | undefined;
  readonly end?: boolean | undefined;
}

/**
 * Hides a changing set of credentials in prose: in the text of log lines and of errors. It finds them as they are, in the encodings that
 * programs usually write (JSON up to three deep, percent, forms, base64, hexadecimal, HTML), and of several lines also each line. Values
 * of fewer than six characters are not hidden. One pass over a text finds all of them, however many there are.
 */
export class Redactor {
  /** How often each credential was added. */
  readonly #counts = new Map<string, number>();
  /** Added and not looked for yet: what is never shown costs nothing. */
  readonly #waiting = new Set<string>();
  /** How many credentials are written so, by spelling. */
  readonly #spellings = new Map<string, number>();
  /** Spellings by a hash of their last characters; in most texts none of these occurs. Beginnings are more often alike than ends. */
  readonly #byEnd = new Map<number, Set<string>>();

  /** @param credentials - what to hide */
  constructor(credentials: Iterable<string> = []) {
    this.add(credentials);
  }

  /** Whether there is nothing to hide. */
  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Hides these, too. What was added twice has to be removed twice. */
  add(credentials: Iterable<string>): void {
    for (const credential of credentials) {
      if (credential.length < SHORTEST_CREDENTIAL) continue;
      const count = this.#counts.get(credential) ?? 0;
      this.#counts.set(credential, count + 1);
      if (count === 0) this.#waiting.add(credential);
    }
  }

  /** Forgets these. */
  remove(credentials: Iterable<string>): void {
    for (const credential of credentials) {
      const count = this.#counts.get(credential);
      if (count === undefined) continue;
      if (count > 1) this.#counts.set(credential, count - 1);
      else this.#forget(credential);
    }
  }

  /** Whether a text holds any of the credentials. */
  finds(text: string): boolean {
    return !this.#matches(text, () => false);
  }

  /**
   * The text without the credentials. Hide before a text is cut or split.
   *
   * @param cut - where the text was cut all the same; half a credential is then hidden there, too, if at least six characters are left
   */
  hide(text: string, cut: TextCut = {}): string {
    if (this.isEmpty) return text;
    const spans: Span[] = [];
    this.#matches(text, (from, to) => {
      spans.push([from, to]);
      return true;
    });
    spans.push(...this.#halves(text, cut));
    return withoutSpans(text, spans);
  }

  /**
   * A copy of an error, or of the fields of a log line, without the credentials; the data itself if it holds none. Of an error, its stack,
   * its causes and whatever hangs on it are searched as well. Names of members stay as they are, and so do code, outcome, phase, server,
   * tool and location of an `McpError` and of a log line. It never throws: what cannot be read is left out.
   */
  hideIn<T>(data: T): T {
    return this.isEmpty || !this.#holds(data) ? data : (this.#copyOf(data, 0, new Map()) as T);
  }

  #forget(credential: string): void {
    this.#counts.delete(credential);
    if (this.#waiting.delete(credential)) return;
    for (const spelling of spellingsOf(credential)) {
      const count = this.#spellings.get(spelling) ?? 0;
      if (count > 1) this.#spellings.set(spelling, count - 1);
      else {
        this.#spellings.delete(spelling);
        const hash = hashOfEnd(spelling);
        const alike = this.#byEnd.get(hash);
        alike?.delete(spelling);
        if (alike?.size === 0) this.#byEnd.delete(hash);
      }
    }
  }

  #spellOut(): void {
    for (const credential of this.#waiting) {
      for (const spelling of spellingsOf(credential)) {
        const count = this.#spellings.get(spelling) ?? 0;
        this.#spellings.set(spelling, count + 1);
        if (count > 0) continue;
        const hash = hashOfEnd(spelling);
        const alike = this.#byEnd.get(hash);
        if (alike === undefined) this.#byEnd.set(hash, new Set([spelling]));
        else alike.add(spelling);
      }
    }
    this.#waiting.clear();
  }

  /** Calls back for each place until it returns `false`. Returns whether it never did. */
  #matches(text: string, found: (from: number, to: number) => boolean): boolean {
    this.#spellOut();
    if (this.#byEnd.size === 0) return true;
    if (!this.#matchesAsWritten(text, found)) return false;
    if (!text.includes("%")) return true;
    // Each percent code may be in either case (RFC 3986, section 2.1); the spellings have capitals. No place moves.
    const evened = PERCENT_CODES.map((codes) => text.replace(codes, (code) => code.toUpperCase()));
    return [...new Set(evened)].every((one) => one === text || this.#matchesAsWritten(one, found));
  }

  #matchesAsWritten(text: string, found: (from: number, to: number) => boolean): boolean {
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
      if (at >= SHORTEST_CREDENTIAL)
        hash = (hash - Math.imul(text.charCodeAt(at - SHORTEST_CREDENTIAL), BASE_OF_FIRST)) | 0;
      if (at < SHORTEST_CREDENTIAL - 1) continue;
      const alike = this.#byEnd.get(hash);
      if (alike === undefined) continue;
      for (const spelling of alike) {
        const from = at + 1 - spelling.length;
        if (from >= 0 && text.startsWith(spelling, from) && !found(from, at + 1)) return false;
      }
    }
    return true;
  }

  /** The longest ends and beginnings of credentials at the cuts of a text. */
  #halves(text: string, cut: TextCut): readonly Span[] {
    if ((!cut.start && !cut.end) || text.length < SHORTEST_CREDENTIAL) return [];
    const head = text.slice(0, SHORTEST_CREDENTIAL);
    const tail = text.slice(-SHORTEST_CREDENTIAL);
    let start = 0;
    let end = 0;
    for (const spelling of this.#spellings.keys()) {
      // Nothing but the middle of a credential was left.
      if (cut.start && cut.end && spelling.includes(text)) return [[0, text.length]];
      if (cut.start) start = Math.max(start, endAtStart(spelling, head, text));
      if (cut.end) end = Math.max(end, startAtEnd(spelling, tail, text));
    }
    return [[0, start] as const, [text.length - end, text.length] as const].filter(([from, to]) => to > from);
  }

  /** Whether anything that a logger could print of a value holds a credential. */
  #holds(data: unknown): boolean {
    const waiting: unknown[] = [data];
    const seen = new Set<unknown>();
    while (waiting.length > 0) {
      const next = waiting.pop();
      if (
        typeof next === "string"
          ? this.finds(next)
          : typeof next === "object" && this.#isHostile(next, seen, waiting)
      )
        return true;
    }
    return false;
  }

  /** Appends what is in an object; `true` if it cannot be read, so that it is not known what it shows. */
  #isHostile(data: object | null, seen: Set<unknown>, waiting: unknown[]): boolean {
    if (data === null || seen.has(data)) return false;
    seen.add(data);
    try {
      for (const part of partsOf(data, seen.size === 1)) waiting.push(part);
      return false;
    } catch {
      return true;
    }
  }

  #copyOf(data: unknown, depth: number, copies: Map<object, unknown>): unknown {
    if (typeof data === "string") return this.hide(data);
    if (typeof data !== "object" || data === null) return data;
    if (copies.has(data)) return copies.get(data);
    if (depth > DEEPEST_DATA) return "…";
    copies.set(data, "[circular]");
    try {
      const copy = this.#copyOfObject(data, (member) => this.#copyOf(member, depth + 1, copies), depth === 0);
      copies.set(data, copy);
      return copy;
    } catch {
      return "a value that cannot be read";
    }
  }

  #copyOfObject(data: object, copyOf: (member: unknown) => unknown, isWhole: boolean): unknown {
    if (isError(data)) return this.#copyOfError(data, copyOf);
    if (Array.isArray(data)) return data.map(copyOf);
    if (isBytes(data)) return this.finds(textOfBytes(data)) ? REDACTED : data;
    if (data instanceof URL) return this.hide(data.href);
    if (isCollection(data)) return [...data].map(copyOf);
    const members = Reflect.ownKeys(data).map((name) => {
      const member = memberOf(data, name);
      return [name, isWhole && IDENTIFIERS.has(name) ? member : copyOf(member)] as const;
    });
    return Object.fromEntries(members);
  }

  #copyOfError(error: Error, copyOf: (member: unknown) => unknown): Error {
    const message = this.hide(thrownMessage(error));
    const cause = copyOf(memberOf(error, "cause"));
    if (isMcpError(error)) {
      const stderr = error.stderr && this.hide(error.stderr);
      const copy = new McpError(error.code, message, { ...error.toJSON(), stderr, cause });
      if (typeof error.stack === "string") copy.stack = this.hide(error.stack);
      return copy;
    }
    const copy = new Error(message, cause === undefined ? undefined : { cause });
    for (const name of new Set<string | symbol>(["name", ...Reflect.ownKeys(error)])) {
      if (name === "message" || name === "cause") continue;
      const value = copyOf(memberOf(error, name));
      Object.defineProperty(copy, name, { value, enumerable: !HIDDEN_MEMBERS.has(name), configurable: true });
    }
    return copy;
  }
}

/** Members of an error that are not shown beside its text. */
const HIDDEN_MEMBERS: ReadonlySet<string | symbol> = new Set(["name", "stack", "errors"]);

/** Everything in an object that may be printed. Identifiers are left out where they are: in an `McpError`, and in the fields of a log line. */
function partsOf(data: object, isWhole: boolean): Iterable<unknown> {
  if (Array.isArray(data)) return data;
  if (isBytes(data)) return [textOfBytes(data)];
  if (data instanceof URL) return [data.href];
  if (isCollection(data)) return [...data];
  const names = new Set(Reflect.ownKeys(data));
  if (isError(data)) for (const name of ["name", "message", "stack", "cause"]) names.add(name);
  const identifies = isWhole || isMcpError(data) ? IDENTIFIERS : new Set<string | symbol>();
  return [...names].filter((name) => !identifies.has(name)).map((name) => memberOf(data, name));
}

function isError(data: object): data is Error {
  return data instanceof Error || isMcpError(data);
}

/** What shows its contents, though they are no members of it. To name the class `Headers` would load all of `fetch`. */
const COLLECTIONS: ReadonlySet<unknown> = new Set(["Map", "Set", "Headers", "URLSearchParams"]);

function isCollection(data: object): data is Iterable<unknown> {
  const kind: unknown = (data as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return COLLECTIONS.has(kind) && typeof (data as Partial<Iterable<unknown>>)[Symbol.iterator] === "function";
}

function isBytes(data: object): data is ArrayBuffer | ArrayBufferView {
  return data instanceof ArrayBuffer || ArrayBuffer.isView(data);
}

/** A buffer is printed as its text, or as its bytes. */
function textOfBytes(bytes: ArrayBuffer | ArrayBufferView): string {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return new TextDecoder().decode(view);
}

/** A member; `undefined` if its getter throws. */
function memberOf(data: object, name: string | symbol): unknown {
  try {
    return (data as { readonly [member: string | symbol]: unknown })[name];
  } catch {
    return undefined;
  }
}

type Span = readonly [from: number, to: number];

function withoutSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let shownTo = 0;
  let [from, to] = [-1, -1];
  for (const [nextFrom, nextTo] of spans.toSorted(([one], [other]) => one - other)) {
    // Values that overlap are one place; those that follow each other are two.
    if (nextFrom < to) {
      to = Math.max(to, nextTo);
      continue;
    }
    if (to !== -1) parts.push(text.slice(shownTo, from), REDACTED);
    if (to !== -1) shownTo = to;
    [from, to] = [nextFrom, nextTo];
  }
  parts.push(text.slice(shownTo, from), REDACTED, text.slice(to));
  return parts.join("");
}

/** How much of the end of a spelling a text begins with. */
function endAtStart(spelling: string, head: string, text: string): number {
  for (let at = spelling.indexOf(head, 1); at !== -1; at = spelling.indexOf(head, at + 1))
    if (text.startsWith(spelling.slice(at))) return spelling.length - at;
  return 0;
}

/** How much of the beginning of a spelling a text ends with. */
function startAtEnd(spelling: string, tail: string, text: string): number {
  for (let at = spelling.lastIndexOf(tail, spelling.length - tail.length - 1); at !== -1; ) {
    const length = at + tail.length;
    if (text.endsWith(spelling.slice(0, length))) return length;
    at = at === 0 ? -1 : spelling.lastIndexOf(tail, at - 1);
  }
  return 0;
}

/** Percent codes, and those of an address within an address. */
const PERCENT_CODES = [/%[\da-f]{2}/gi, /%(?:25)*[\da-f]{2}/gi];

const BASE = 0x01000193;
const BASE_OF_FIRST = Array.from({ length: SHORTEST_CREDENTIAL }).reduce<number>(
  (power) => Math.imul(power, BASE),
  1,
);

function hashOfEnd(text: string): number {
  let hash = 0;
  for (let at = text.length - SHORTEST_CREDENTIAL; at < text.length; at += 1)
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  return hash;
}
