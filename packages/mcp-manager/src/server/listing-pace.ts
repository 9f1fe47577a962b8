const LEAST_MS = 1_000;
const MOST_MS = 30_000;

/**
 * How soon a list is read again when the server announces a change: at once after a quiet time, else 1 s after the last list, doubling
 * to 30 s while nothing has changed. A server that announces a change at each listing would otherwise be listed for ever.
 */
export interface ListingPace {
  /** How long the next list has to wait, in milliseconds. */
  waitMs(): number;
  /** An announced list was read, or failed. */
  listed(list: { readonly isChanged: boolean }): void;
}

export function createListingPace(): ListingPace {
  let listedAt = Number.NEGATIVE_INFINITY;
  let spacingMs = LEAST_MS;
  return {
    waitMs() {
      const quietMs = performance.now() - listedAt; // By the monotonic clock.
      if (quietMs >= MOST_MS) spacingMs = LEAST_MS;
      return Math.max(0, spacingMs - quietMs);
    },
    listed({ isChanged }) {
      listedAt = performance.now();
      spacingMs = isChanged ? LEAST_MS : Math.min(MOST_MS, spacingMs * 2);
    },
  };
}
