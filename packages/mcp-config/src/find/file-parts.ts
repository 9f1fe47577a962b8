import { fileSystem } from "@jackfield/mcp-core/node";

/** The members of a JSON file that are wanted, by their paths; `*` is any name. */
export type FileParts = readonly (readonly string[])[];

/** A tree of wanted paths; a member without further names is wanted as a whole. */
type Wanted = ReadonlyMap<string, Wanted>;

const CHUNK_BYTES = 1024 * 1024;

/**
 * Reads the wanted members of a JSON file of any size, piece by piece. Every other value becomes `0`; line ends stay, so that lines can
 * still be counted. What is broken in the wanted part is broken in the result.
 *
 * @param mostBytes - how much may be kept
 * @returns `undefined` if more is wanted
 */
export function readFileParts(descriptor: number, parts: FileParts, mostBytes: number): Buffer | undefined {
  const reader = new PartsReader(wantedOf(parts), mostBytes);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let isFirst = true; ; isFirst = false) {
    const length = fileSystem.readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
    if (length === 0) return reader.kept();
    const from = isFirst && chunk.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
    if (!reader.read(chunk.subarray(from, length))) return undefined;
  }
}

function wantedOf(parts: FileParts): Wanted {
  const byName = Map.groupBy(parts, ([name = ""]) => name);
  const inner = (paths: FileParts) => paths.map((path) => path.slice(1)).filter((path) => path.length > 0);
  return new Map([...byName].map(([name, paths]) => [name, wantedOf(inner(paths))]));
}

const BYTE_ORDER_MARK = Buffer.from("\ufeff");
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_END = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const ZERO = Buffer.from("0");
const isOpening = (byte: number) => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d;
const isSpace = (byte: number) => byte <= 0x20;

class PartsReader {
  readonly #mostBytes: number;
  #kept = Buffer.allocUnsafe(CHUNK_BYTES);
  #length = 0;
  /** What is wanted of the objects around the current place, of which only some members are. */
  readonly #around: Wanted[] = [];
  /** What is wanted of the next value; nothing if it is not. */
  #next: Wanted | undefined;
  #key: Buffer[] = [];
  /** The value that is being passed over or kept whole, or the key of a member. */
  #inside: "skipped" | "kept" | "key" | undefined;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(wanted: Wanted, mostBytes: number) {
    this.#next = wanted;
    this.#mostBytes = mostBytes;
  }

  kept(): Buffer {
    return this.#kept.subarray(0, this.#length);
  }

  /** @returns whether what is wanted so far is no more than may be kept */
  read(chunk: Buffer): boolean {
    let from = 0;
    // Looked up again only once they were passed, so that each byte is searched once.
    let quote = chunk.indexOf(QUOTE);
    let backslash = chunk.indexOf(BACKSLASH);
    for (let at = 0; at < chunk.length; ) {
      if (this.#isInString) {
        if (this.#isEscaped) at += 1;
        this.#isEscaped = false;
        if (backslash !== -1 && backslash < at) backslash = chunk.indexOf(BACKSLASH, at);
        if (quote !== -1 && quote < at) quote = chunk.indexOf(QUOTE, at);
        if (backslash !== -1 && (quote === -1 || backslash < quote)) {
          at = backslash + 1;
          this.#isEscaped = true;
          continue;
        }
        at = quote === -1 ? chunk.length : quote + 1;
        if (quote === -1) break;
        this.#isInString = false;
        if (this.#depth === 0 && this.#inside !== undefined) from = this.#leave(chunk, from, at);
        continue;
      }
      const byte = chunk[at] as number;
      if (this.#inside !== undefined) {
        const isScalarEnd = this.#depth === 0 && (byte === COMMA || isClosing(byte) || isSpace(byte));
        if (isScalarEnd) {
          from = this.#leave(chunk, from, at);
          continue;
        }
        at += 1;
        if (byte === QUOTE) this.#isInString = true;
        else if (isOpening(byte)) this.#depth += 1;
        else if (byte === LINE_END && this.#inside === "skipped") this.#keep(chunk.subarray(at - 1, at));
        else if (isClosing(byte)) {
          this.#depth -= 1;
          if (this.#depth === 0) from = this.#leave(chunk, from, at);
        }
        continue;
      }
      if (isSpace(byte) || byte === COMMA || byte === COLON) {
        if (byte === COMMA) this.#next = undefined;
        at += 1;
        this.#keep(chunk.subarray(at - 1, at));
      } else if (isClosing(byte)) {
        this.#around.pop();
        at += 1;
        this.#keep(chunk.subarray(at - 1, at));
      } else {
        from = at;
        at = this.#begin(chunk, at, byte);
      }
    }
    if (this.#inside === "kept" || this.#inside === "key") this.#take(chunk.subarray(from));
    return this.#length <= this.#mostBytes;
  }

  /** Enters a key or a value. */
  #begin(chunk: Buffer, at: number, byte: number): number {
    const isKey = byte === QUOTE && this.#around.length > 0 && this.#key.length === 0;
    if (isKey) {
      this.#inside = "key";
    } else {
      const wanted = this.#next;
      this.#key = [];
      const isWhole = wanted?.size === 0;
      if (wanted !== undefined && !isWhole && byte === 0x7b) {
        this.#around.push(wanted);
        this.#keep(chunk.subarray(at, at + 1));
        return at + 1;
      }
      this.#inside = isWhole ? "kept" : "skipped";
      if (!isWhole) this.#keep(ZERO);
    }
    this.#depth = isOpening(byte) ? 1 : 0;
    this.#isInString = byte === QUOTE;
    return at + 1;
  }

  /** Leaves a key or a value. */
  #leave(chunk: Buffer, from: number, to: number): number {
    const inside = this.#inside;
    if (inside !== "skipped") this.#take(chunk.subarray(from, to));
    this.#inside = undefined;
    if (inside === "key") {
      const wanted = this.#around.at(-1);
      this.#next = wanted?.get(nameOf(Buffer.concat(this.#key))) ?? wanted?.get("*");
    }
    return to;
  }

  #take(piece: Buffer): void {
    this.#keep(piece);
    if (this.#inside === "key") this.#key.push(Buffer.from(piece));
  }

  #keep(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#kept.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      this.#kept.copy(larger, 0, 0, this.#length);
      this.#kept = larger;
    }
    piece.copy(this.#kept, this.#length);
    this.#length = length;
  }
}

function nameOf(key: Buffer): string {
  try {
    return String(JSON.parse(key.toString()));
  } catch {
    return "";
  }
}
