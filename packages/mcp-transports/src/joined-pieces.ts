/** How many pieces are collected before they may be joined. */
const MOST_PIECES = 256;

/** Pieces of this average size or more are not joined: the overhead of each, some hundred bytes, is small in comparison. */
const SMALL_BYTES = 1024;

/** Collects bytes that arrive in pieces of any size. Small pieces are joined on the way: their overhead is a multiple of their bytes. */
export class JoinedPieces {
  #joined: Buffer[] = [];
  #recent: Buffer[] = [];
  #recentBytes = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  push(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#recent.push(piece);
    this.#recentBytes += piece.length;
    if (this.#recent.length < MOST_PIECES) return;
    if (this.#recentBytes < MOST_PIECES * SMALL_BYTES) this.#joined.push(Buffer.concat(this.#recent));
    else this.#joined.push(...this.#recent);
    this.#recent = [];
    this.#recentBytes = 0;
  }

  /** Returns all bytes, and starts empty again. */
  take(): Buffer {
    const all = this.#joined.concat(this.#recent);
    this.#joined = [];
    this.#recent = [];
    this.#recentBytes = 0;
    this.#bytes = 0;
    const [only] = all;
    return all.length === 1 && only ? only : Buffer.concat(all);
  }
}
