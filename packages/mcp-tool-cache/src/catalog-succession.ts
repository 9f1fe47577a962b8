import type { CatalogEntry, PriorHandshake } from "@jackfield/mcp-core";

/** A stored entry, with what only the catalog itself needs. */
export interface CatalogRecord {
  readonly entry: CatalogEntry;
  /** The server's last list was empty and is not confirmed yet; the tools kept are those of the list before. */
  readonly suspect: boolean;
  /** When the entry was marked stale, epoch milliseconds. A listing that was taken later clears the mark. */
  readonly staleSince?: number | undefined;
  /** By whose clock it was marked, like `writer`. */
  readonly staleBy?: string | undefined;
  /** When the entry expires, epoch milliseconds. */
  readonly expiresAt: number;
  /** By whose clock it was listed; missing where all who write share one clock. */
  readonly writer?: string | undefined;
}

/**
 * Decides what to keep when an entry arrives; `undefined` means that the stored record stays.
 *
 * - An entry never replaces one that was listed later. Equal times mean the same listing, written again. Two clocks are not compared:
 *   of two machines, the one that has just listed wins, and one that writes an older listing again does not.
 * - An empty list is doubted: many servers return one while they warm up. The previous tools stay, marked stale, until a later
 *   listing confirms the empty list or has tools again.
 * - A listing that was taken before the entry was marked stale does not clear the mark.
 * - Writing the same listing again does not extend its lifetime.
 */
export function successor(
  kept: CatalogRecord | undefined,
  next: CatalogEntry,
  now: number,
  writer?: string,
): CatalogRecord | undefined {
  const isOfOther = kept?.writer !== writer;
  const isDated = kept !== undefined && !isOfOther && isFromFuture(kept.entry.listedAt, now);
  const before = isDated ? undefined : kept;
  if (before !== undefined && isOlderListing(next.listedAt, before.entry.listedAt, isOfOther, now))
    return undefined;
  const isSameListing = next.listedAt === before?.entry.listedAt;
  const suspect = isDoubtful(before, next, isSameListing);
  const staleSince = effectiveStaleSince(before, next, now, writer);
  const isStale = suspect || staleSince !== undefined;
  const known = suspect && isEmpty(next) ? withToolsOf(before?.entry, next) : next;
  return {
    entry: isStale ? { ...known, stale: true } : known,
    suspect,
    staleSince,
    staleBy: staleSince === undefined ? undefined : before?.staleBy,
    writer: isSameListing ? before?.writer : writer,
    expiresAt: isSameListing && before !== undefined ? before.expiresAt : now + LISTING_LIFETIME_MS,
  };
}

/** The longest time from the beginning of a list until it is written, in milliseconds; one that takes longer may be older than another's. */
const JUST_LISTED_MS = 60_000;

function isOlderListing(listedAt: number, keptListedAt: number, isOfOther: boolean, now: number): boolean {
  if (!isOfOther) return listedAt < keptListedAt;
  return listedAt !== keptListedAt && now - listedAt > JUST_LISTED_MS;
}

/** The record once its entry is marked stale. */
export function markedStale(record: CatalogRecord, now: number, writer?: string): CatalogRecord {
  return { ...record, staleSince: now, staleBy: writer, entry: { ...record.entry, stale: true } };
}

/**
 * The stale mark that still holds. A mark dated into the future by a wrong clock is dropped: until that time, no listing would
 * clear it.
 */
function effectiveStaleSince(
  before: CatalogRecord | undefined,
  { listedAt }: CatalogEntry,
  now: number,
  writer: string | undefined,
): number | undefined {
  const staleSince = before?.staleSince;
  if (staleSince === undefined || isFromFuture(staleSince, now)) return undefined;
  return isOlderListing(listedAt, staleSince, before?.staleBy !== writer, now) ? staleSince : undefined;
}

/** An empty list is believed only if the previous one, from another listing, was empty too. */
function isDoubtful(before: CatalogRecord | undefined, next: CatalogEntry, isSameListing: boolean): boolean {
  if (before?.suspect && isSameListing) return true;
  return isEmpty(next) && !(before?.suspect || (before !== undefined && isEmpty(before.entry)));
}

function isEmpty({ tools }: CatalogEntry): boolean {
  return tools?.length === 0;
}

/** Keeps the previous tools, together with the credentials they were listed with. */
function withToolsOf(kept: CatalogEntry | undefined, next: CatalogEntry): CatalogEntry {
  if (kept?.tools === undefined) return next;
  return { ...next, tools: kept.tools, credentials: kept.credentials };
}

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
function isFromFuture(time: number, now: number): boolean {
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
