const SECOND_MS = 1_000;

/**
 * Delays retries so that no second of the clock holds more than `maxPerSecond`, over all servers: a thousand servers lost at once must
 * not come back in one wave. Jitter alone would only spread the wave over one delay.
 *
 * @returns when an attempt wanted at `wantedAt` may be made, both epoch milliseconds. Each call reserves a place.
 */
export type RetryPacing = (wantedAt: number) => number;

export function createRetryPacing(maxPerSecond: number): RetryPacing {
  /** How many attempts each second holds, by seconds since the epoch. */
  const taken = new Map<number, number>();
  return (wantedAt) => {
    const wanted = Math.floor(wantedAt / SECOND_MS);
    forgetBefore(taken, Math.floor(Date.now() / SECOND_MS));
    let second = wanted;
    while ((taken.get(second) ?? 0) >= maxPerSecond) second += 1;
    taken.set(second, (taken.get(second) ?? 0) + 1);
    return wantedAt + (second - wanted) * SECOND_MS;
  };
}

function forgetBefore(taken: Map<number, number>, now: number): void {
  for (const second of taken.keys()) if (second < now) taken.delete(second);
}
