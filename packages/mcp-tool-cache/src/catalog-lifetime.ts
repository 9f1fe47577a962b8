import type { CatalogEntry, PriorHandshake } from "@jackfield/mcp-core";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long a listing is kept, in milliseconds, however often it is written again. */
export const LISTING_LIFETIME_MS = 30 * DAY_MS;

/** The longest `ttlMs` accepted from a server, in milliseconds. */
const LONGEST_TTL_MS = DAY_MS;

/** How long a server counts as legacy, in milliseconds. The verdict must expire, because an upgraded server still answers `initialize`. */
const LEGACY_VERDICT_LIFETIME_MS = DAY_MS;

/** Clocks differ slightly between machines. A time further ahead than this comes from a wrong clock. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1_000;

/** Whether a time, in epoch milliseconds, can only come from a clock that was wrong. */
export function isFromFuture(time: number, now: number): boolean {
  return time > now + CLOCK_TOLERANCE_MS;
}

/** The entry with a `ttlMs` that can be relied on: at most a day, and 0 if it is not a duration. */
export function withBoundedTtl(entry: CatalogEntry): CatalogEntry {
  const { ttlMs } = entry;
  if (ttlMs === undefined) return entry;
  const isDuration = typeof ttlMs === "number" && ttlMs >= 0;
  return { ...entry, ttlMs: isDuration ? Math.min(ttlMs, LONGEST_TTL_MS) : 0 };
}

/** The entry as it may be returned now: stale if its `listedAt` lies in the future, and without an outdated legacy verdict. */
export function entryAsOf(entry: CatalogEntry, now: number): CatalogEntry {
  const isDoubtful = isFromFuture(entry.listedAt, now);
  const isOutdated = entry.prior !== undefined && isOutdatedVerdict(entry.prior, now);
  if (!isDoubtful && !isOutdated) return entry;
  return {
    ...entry,
    ...(isDoubtful ? { stale: true } : {}),
    ...(isOutdated ? { prior: undefined } : {}),
  };
}

function isOutdatedVerdict({ era, at }: PriorHandshake, now: number): boolean {
  return era === "legacy" && (now - at > LEGACY_VERDICT_LIFETIME_MS || isFromFuture(at, now));
}
