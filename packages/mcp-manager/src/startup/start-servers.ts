import { openShelves } from "../catalog-room.ts";
import type { ResolvedManagerOptions } from "../options.ts";
import type { CatalogShelf } from "../server/catalog-record.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { startInOrder } from "./start-order.ts";
import { patienceFor, waitAtGate } from "./startup-gate.ts";

/**
 * Brings servers up: what the catalog knows of them first, then their connections. Resolves when nobody has to be waited for
 * any longer, or the signal fires; who is late goes on in the background.
 */
export async function startServers(
  servers: readonly ManagedServer[],
  options: ResolvedManagerOptions,
  stop: AbortSignal,
): Promise<void> {
  const shelves = await readCatalog(servers, options, stop);
  for (const server of servers) server.recall(shelves.get(server.definition.name));
  if (stop.aborted) return;
  const { gateMs, uncached, concurrency } = options.startup;
  const eager = servers.filter(({ definition }) => definition.lazy !== true);
  void startInOrder(eager, concurrency, stop);
  const waiting = servers.map(({ definition, verdict, settled }) => {
    const patience = patienceFor({ lazy: definition.lazy === true, verdict }, uncached);
    return { patience, settled };
  });
  await waitAtGate(waiting, gateMs, stop);
}

async function readCatalog(
  servers: readonly ManagedServer[],
  { cache, resolve, principal, startup, log }: ResolvedManagerOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CatalogShelf>> {
  if (cache === undefined) return new Map();
  const { staleAfterMs } = startup;
  const definitions = servers.map(({ definition }) => definition);
  return openShelves(definitions, { cache, resolve, principal, staleAfterMs, log }, signal);
}
