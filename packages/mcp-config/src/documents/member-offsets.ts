/** Up to how many members an array is searched through as fast as a map is made. */
const FEW = 16;

/**
 * Where the members of an object stand in its text. They are only written down while the text is read; of most objects no place is
 * ever asked for, so a map of them is made when one is, and only for an object with many members.
 */
export class MemberOffsets {
  readonly #keys: string[] = [];
  readonly #offsets: number[] = [];
  #index: Map<string, number> | undefined;

  /** Of a key that is added again, the last offset counts. */
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
