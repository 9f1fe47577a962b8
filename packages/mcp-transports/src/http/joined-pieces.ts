/** How many pieces are collected before they may be joined. */
const MOST_PIECES = 256;

/** Pieces of this average size or more are not joined: the overhead of each, some hundred bytes, is small in comparison. */
const SMALL_BYTES = 1024;

/** Collects bytes that arrive in pieces of any size. Small pieces are joined on the way: their overhead is a multiple of their bytes. */
export interface JoinedPieces {
  readonly isEmpty: boolean;
  push(piece: Buffer): void;
  /** Returns all bytes, and starts empty again. */
  take(): Buffer;
}

export function createJoinedPieces(): JoinedPieces {
  let joined: Buffer[] = [];
  let recent: Buffer[] = [];
  let recentBytes = 0;
  const join = () => {
    if (recentBytes < recent.length * SMALL_BYTES) joined.push(Buffer.concat(recent, recentBytes));
    else for (const piece of recent) joined.push(piece);
    recent = [];
    recentBytes = 0;
  };
  return {
    get isEmpty() {
      return joined.length === 0 && recent.length === 0;
    },
    push(piece) {
      recent.push(piece);
      recentBytes += piece.length;
      if (recent.length === MOST_PIECES) join();
    },
    take() {
      const all = joined.length === 0 ? recent : [...joined, ...recent];
      joined = [];
      recent = [];
      recentBytes = 0;
      const [only] = all;
      return all.length === 1 && only ? only : Buffer.concat(all);
    },
  };
}
