/** Up to this many members, searching an array is as fast as building a map. */
const FEW = 16;

/**
 * The offsets of an object's members in the text. Parsing only appends them to lists: in most objects no member is ever located, so
 * a map is built at the first lookup, and only for an object with many members.
 */
export class MemberOffsets {
  readonly #keys: string[] = [];
  readonly #offsets: number[] = [];
  #index: Map<string, number> | undefined;

  /** If a key is added again, the last offset counts. */
  add(key: string, offset: number): void {
    this.#keys.push(key);
    this.#offsets.push(offset);
    this.#index?.set(key, offset);
  }

  of(key: string): number | undefined {
    if (this.#keys.length <= FEW) return this.#offsets[this.#keys.lastIndexOf(key)];
    this.#index ??= new Map(this.#keys.map((known, at) => [known, this.#offsets[at] ?? 0]));
    return this.#index.get(key);
  }
}
