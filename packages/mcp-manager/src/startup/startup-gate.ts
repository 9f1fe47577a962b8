import { raceSignal, startTimer } from "@jackfield/mcp-core";
import type { CatalogVerdict } from "../server/catalog-record.ts";

/** How long start-up waits for a server: not at all, up to the gate, for `BRIEFLY_MS`, or until it has settled. */
export type Patience = "none" | "gate" | "briefly" | "settled";

/** How long start-up waits for a server that has failed lately and that nothing is known of. It may be up again; if it is not, it may hang. */
const BRIEFLY_MS = 3_000;

/** Servers that start-up waits for longest connect first: queued behind others they would delay it. */
const PATIENCES: readonly Patience[] = ["settled", "briefly", "gate", "none"];

/** Sorts servers by how long start-up waits for them, longest first; otherwise the order stays. */
export function byPatience<T extends { readonly patience: Patience }>(servers: readonly T[]): readonly T[] {
  return PATIENCES.flatMap((patience) => servers.filter((server) => server.patience === patience));
}

/**
 * Decides how long start-up waits for a server. Pure.
 *
 * A lazy server is not connected at start-up, so there is nothing to wait for. A server that hangs slows down one start a minute, not
 * every start.
 */
export function patienceFor(
  server: { readonly lazy: boolean; readonly verdict: CatalogVerdict },
  uncached: "wait" | "later",
): Patience {
  const { freshness, failedLately } = server.verdict;
  if (server.lazy || freshness === "fresh") return "none";
  if (freshness === "stale" || uncached === "later") return "gate";
  return failedLately ? "briefly" : "settled";
}

export interface GatedServer {
  readonly patience: Patience;
  readonly settled: Promise<void>;
  /** How long start-up waits for it once its catalog record is there; missing if that was known from the beginning. */
  readonly laterPatience?: Promise<Patience> | undefined;
}

/** Waits for each server as long as its patience says; the signal ends all waiting. */
export async function waitAtGate(
  servers: readonly GatedServer[],
  gateMs: number,
  signal: AbortSignal,
): Promise<void> {
  const gate = Promise.withResolvers<void>();
  const brief = Promise.withResolvers<void>();
  const settledLater = async ({ settled, laterPatience }: GatedServer) => {
    const patience = await laterPatience;
    if (patience === "gate") await gate.promise;
    if (patience === "briefly") await brief.promise;
    if (patience === "settled") await settled;
  };
  const awaited = (server: GatedServer) =>
    server.laterPatience === undefined
      ? server.settled
      : Promise.race([server.settled, settledLater(server)]);
  const settledOf = (patience: Patience) =>
    Promise.all(servers.filter((server) => server.patience === patience).map(awaited));
  const timers = [startTimer(gate.resolve, gateMs), startTimer(brief.resolve, Math.max(gateMs, BRIEFLY_MS))];
  const ready = Promise.all([
    settledOf("settled"),
    Promise.race([settledOf("briefly"), brief.promise]),
    Promise.race([settledOf("gate"), gate.promise]),
  ]);
  await raceSignal(ready, signal).catch(() => {}); // Only the signal makes it reject.
  for (const timer of timers) clearTimeout(timer);
}
