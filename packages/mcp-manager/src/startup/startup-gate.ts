import { raceSignal } from "../deadline.ts";
import type { CatalogVerdict } from "../server/catalog-record.ts";
import { startTimer } from "../timer.ts";

/** How long start-up waits for a server: not at all, up to the gate, or until it has settled. */
export type Patience = "none" | "gate" | "settled";

/** Servers that start-up waits for longest connect first: queued behind others they would delay it. */
const PATIENCES: readonly Patience[] = ["settled", "gate", "none"];

/** Sorts servers by how long start-up waits for them, longest first; otherwise the order stays. */
export function byPatience<T extends { readonly patience: Patience }>(servers: readonly T[]): readonly T[] {
  return PATIENCES.flatMap((patience) => servers.filter((server) => server.patience === patience));
}

/**
 * Decides how long start-up waits for a server. Pure.
 *
 * A lazy server is not connected at start-up, so there is nothing to wait for. A server whose last attempt failed slows down one start,
 * not every start.
 */
export function patienceFor(
  server: { readonly lazy: boolean; readonly verdict: CatalogVerdict },
  uncached: "wait" | "later",
): Patience {
  const { freshness, failedLastTime } = server.verdict;
  if (server.lazy || freshness === "fresh") return "none";
  if (freshness === "stale" || failedLastTime || uncached === "later") return "gate";
  return "settled";
}

export interface GatedServer {
  readonly patience: Patience;
  readonly settled: Promise<void>;
}

/** Waits for each server as long as its patience says; the signal ends all waiting. */
export async function waitAtGate(
  servers: readonly GatedServer[],
  gateMs: number,
  signal: AbortSignal,
): Promise<void> {
  const settledOf = (patience: Patience) =>
    Promise.all(servers.filter((server) => server.patience === patience).map((server) => server.settled));
  const gate = Promise.withResolvers<void>();
  const timer = startTimer(gate.resolve, gateMs);
  const ready = Promise.all([settledOf("settled"), Promise.race([settledOf("gate"), gate.promise])]);
  await raceSignal(ready, signal).catch(() => {}); // Only the signal makes it reject.
  clearTimeout(timer);
}
