/** So many pieces are kept as they came. */
const MOST_PIECES = 256;

/** Pieces of this size or more, on the average, are worth what each costs beside its bytes, which is some hundred. */
const SMALL_BYTES = 1024;

/** Bytes that arrive in pieces of any size and are wanted as one. Small pieces are joined meanwhile: many of them cost a multiple of their bytes. */
export interface JoinedPieces {
  readonly isEmpty: boolean;
  push(piece: Buffer): void;
  /** All of it; none is left. */
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
