/** The strings of a valid JSON text, keys and values, by their number. */
export class JsonStrings {
  readonly count: number;
  readonly hasEscapes: boolean;
  readonly #text: string;
  /**
   * What stands between any two quotes: every other piece is a string. Escaped quotes and backslashes are replaced by NUL characters,
   * which valid JSON has nowhere, so that no quote is an escaped one.
   */
  readonly #pieces: readonly string[];
  /** The string that was asked for last, and its offset. */
  #last: { readonly number: number; readonly offset: number };
  /** The offsets of all strings, once one was asked for that stands before the last one. */
  #offsets: readonly number[] | undefined;

  constructor(text: string) {
    this.hasEscapes = text.includes("\\");
    this.#text = text;
    this.#pieces = (this.hasEscapes ? text.replace(/\\["\\]/g, "\0\0") : text).split('"');
    this.count = (this.#pieces.length - 1) / 2;
    this.#last = { number: 0, offset: this.#lengthOf(0) };
  }

  /** Where a string begins, with its quote. Strings are mostly asked for in their order, and then counted from one to the next. */
  offsetOf(number: number): number {
    const last = this.#last;
    if (number < last.number) this.#offsets ??= this.#allOffsets();
    if (this.#offsets) return this.#offsets[number] ?? 0;
    if (number === last.number) return last.offset;
    const between = this.#pieces.slice(2 * last.number + 1, 2 * number + 1).join('"');
    this.#last = { number, offset: last.offset + between.length + 1 };
    return this.#last.offset;
  }

  #allOffsets(): readonly number[] {
    const offsets: number[] = [];
    let end = 0;
    for (let number = 0; number < this.count; number += 1) {
      const offset = end + this.#lengthOf(2 * number);
      offsets.push(offset);
      end = offset + this.#lengthOf(2 * number + 1) + 2;
    }
    return offsets;
  }

  #lengthOf(piece: number): number {
    return this.#pieces[piece]?.length ?? 0;
  }

  /** The text between a string and the next one. */
  textBehind(number: number): string {
    return this.#pieces[2 * number + 2] ?? "";
  }

  /**
   * False if a string has another value than the engine says. V8 may mistake a key with an escape for one that it has seen in such an
   * object before: `"\""` for a single backslash. Strings without escapes are never mistaken.
   */
  mayBe(number: number, value: string): boolean {
    const piece = this.#pieces[2 * number + 1] ?? "";
    if (!/[\0\\]/.test(piece)) return true;
    const from = this.offsetOf(number);
    return JSON.parse(this.#text.slice(from, from + piece.length + 2)) === value;
  }
}
