import type { CatalogEntry, CatalogIdentity, Handshake, LastOutcome, McpError } from "@jackfield/mcp-core";
import type { DatedListing } from "./list-kind.ts";

/** How long a failure counts as late: one bad start must not make the next short program a program without tools. */
const LATELY_MS = 60_000;

const LONGEST_TTL_MS = 86_400_000;

/** How current a catalog entry is. `none`: it holds no tools. */
export type Freshness = "fresh" | "stale" | "none";

/** How long start-up should wait for a server, given what the catalog knows of it. */
export interface CatalogVerdict {
  readonly freshness: Freshness;
  /** The last attempt failed less than a minute ago, so start-up does not wait for the server as long as for others. */
  readonly failedLately: boolean;
}

export const NOTHING_KNOWN: CatalogVerdict = { freshness: "none", failedLately: false };

/** What is known of one server when the runtime starts. */
export interface CatalogRecord {
  readonly identity: CatalogIdentity;
  readonly entry: CatalogEntry | undefined;
  readonly verdict: CatalogVerdict;
}

/**
 * Judges how current an entry is. Pure. Other credentials make it stale, because another token may see other tools. So does an empty
 * list, which a server may give while it warms up (case L1), unless the server declares no tools capability.
 */
export function judge(
  entry: CatalogEntry | undefined,
  identity: CatalogIdentity,
  now: number,
  staleAfterMs: number,
): CatalogVerdict {
  const { ok = true, at = 0 } = entry?.lastOutcome ?? {};
  const failedLately = !ok && Math.abs(now - at) < LATELY_MS; // A wrong clock may have dated it into the future.
  if (entry?.tools === undefined) return { freshness: "none", failedLately };
  // A server may promise more, but not less: many say 0, and the list is read again behind the start in any case.
  const isYoung = now - entry.listedAt < Math.max(staleAfterMs, reliableTtlMs(entry.ttlMs) ?? 0);
  const hasTools = entry.tools.length > 0 || entry.capabilities?.tools === undefined;
  const isFresh = isYoung && hasTools && entry.stale !== true && entry.credentials === identity.credentials;
  return { freshness: isFresh ? "fresh" : "stale", failedLately };
}

/** The server's `ttlMs`, at most one day; 0 if it is not a duration. */
export function reliableTtlMs(ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined) return undefined;
  return typeof ttlMs === "number" && ttlMs >= 0 ? Math.min(ttlMs, LONGEST_TTL_MS) : 0;
}

/** The entry after a server has been listed. It stays stale if the list was requested before the last announced change. */
export function listedEntry(
  before: CatalogEntry | undefined,
  server: string,
  { credentials }: CatalogIdentity,
  seen: {
    handshake: Handshake;
    listing: DatedListing<"tools">;
    outcome: LastOutcome;
    changeAnnouncedAt: number;
  },
): CatalogEntry {
  const { handshake, listing, outcome, changeAnnouncedAt } = seen;
  return {
    ...before,
    server,
    credentials,
    tools: listing.items,
    ttlMs: reliableTtlMs(listing.ttlMs),
    cacheScope: listing.cacheScope,
    instructions: handshake.instructions,
    serverInfo: handshake.serverInfo,
    capabilities: handshake.capabilities,
    prior: handshake.prior,
    lastOutcome: outcome,
    listedAt: listing.beganAt,
    stale: listing.beganAt < changeAnnouncedAt ? true : undefined,
  };
}

/** The entry after a server could not be reached: what it offered stays known. */
export function failedEntry(
  before: CatalogEntry | undefined,
  server: string,
  { credentials }: CatalogIdentity,
  failed: { error: McpError; at: number; tookMs: number },
): CatalogEntry {
  const { error, at, tookMs } = failed;
  return {
    listedAt: 0,
    credentials,
    ...before,
    server,
    lastOutcome: { ok: false, at, tookMs, code: error.code },
  };
}
