/** Up to how many entries an array is searched through as fast as a map is made. */
const FEW = 32;

/**
 * Where the members of an object stand in its text. They are only written down while the text is read; of most objects no place is
 * ever asked for, so a map of them is made when one is, and only for an object with many members.
 */
export class MemberOffsets {
  readonly #written: (string | number)[];
  #index: Map<string, number> | undefined;

  /** @param written - keys, each with its offset behind it; may be filled before an offset is asked for */
  constructor(written: (string | number)[] = []) {
    this.#written = written;
  }

  /** Of a key that is added again, the last offset counts. */
  add(key: string, offset: number): void {
    this.#written.push(key, offset);
    this.#index?.set(key, offset);
  }

  of(key: string): number | undefined {
    const written = this.#written;
    if (written.length <= FEW) {
      const at = written.lastIndexOf(key);
      return at === -1 ? undefined : (written[at + 1] as number);
    }
    this.#index ??= this.#indexed();
    return this.#index.get(key);
  }

  #indexed(): Map<string, number> {
    const index = new Map<string, number>();
    for (let at = 0; at < this.#written.length; at += 2) {
      index.set(this.#written[at] as string, this.#written[at + 1] as number);
    }
    return index;
  }
}
