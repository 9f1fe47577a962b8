import type { CatalogEntry } from "@jackfield/mcp-core";
import { isFromFuture, LISTING_LIFETIME_MS } from "./catalog-lifetime.ts";

/** A stored entry, with what only the catalog itself needs. */
export interface CatalogRecord {
  readonly entry: CatalogEntry;
  /** The server's last list was empty and is not confirmed yet; the tools kept are those of the list before. */
  readonly suspect: boolean;
  /** When the entry was marked stale, epoch milliseconds. A listing that was taken later clears the mark. */
  readonly staleSince?: number | undefined;
  /** When the entry expires, epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Decides what to keep when an entry arrives; `undefined` means that the stored record stays.
 *
 * - An entry never replaces one that was listed later. Equal times mean the same listing, written again.
 * - An empty list is doubted: many servers return one while they warm up. The previous tools stay, marked stale, until a later
 *   listing confirms the empty list or has tools again.
 * - A listing that was taken before the entry was marked stale does not clear the mark.
 * - Writing the same listing again does not extend its lifetime.
 */
export function successor(
  kept: CatalogRecord | undefined,
  next: CatalogEntry,
  now: number,
): CatalogRecord | undefined {
  const before = kept !== undefined && isFromFuture(kept.entry.listedAt, now) ? undefined : kept;
  if (before !== undefined && next.listedAt < before.entry.listedAt) return undefined;
  const isSameListing = next.listedAt === before?.entry.listedAt;
  const suspect = isDoubtful(before, next, isSameListing);
  const staleSince = effectiveStaleSince(before, next, now);
  const isStale = suspect || staleSince !== undefined;
  const known = suspect && isEmpty(next) ? withToolsOf(before?.entry, next) : next;
  return {
    entry: isStale ? { ...known, stale: true } : known,
    suspect,
    staleSince,
    expiresAt: isSameListing && before !== undefined ? before.expiresAt : now + LISTING_LIFETIME_MS,
  };
}

/** The record once its entry is marked stale. */
export function markedStale(record: CatalogRecord, now: number): CatalogRecord {
  return { ...record, staleSince: now, entry: { ...record.entry, stale: true } };
}

/**
 * The stale mark that still holds. A mark dated into the future by a wrong clock is dropped: until that time, no listing would
 * clear it.
 */
function effectiveStaleSince(
  before: CatalogRecord | undefined,
  { listedAt }: CatalogEntry,
  now: number,
): number | undefined {
  const staleSince = before?.staleSince;
  if (staleSince === undefined || isFromFuture(staleSince, now)) return undefined;
  return listedAt < staleSince ? staleSince : undefined;
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
