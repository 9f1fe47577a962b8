import { thrownText } from "@jackfield/mcp-core";
import { lookUpServers } from "../catalog-lookup.ts";
import { raceSignal } from "../deadline.ts";
import type { ResolvedManagerOptions } from "../options.ts";
import type { CatalogRecord } from "../server/catalog-record.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { firstFailure } from "./first-failure.ts";
import { startInOrder } from "./start-order.ts";
import { byPatience, patienceFor, waitAtGate } from "./startup-gate.ts";

/**
 * Starts servers: offers their tools from the catalog, then connects them. Resolves when start-up need not wait for any longer, or the
 * signal fires; late servers go on in the background.
 */
export async function startServers(
  servers: readonly ManagedServer[],
  options: ResolvedManagerOptions,
  stop: AbortSignal,
): Promise<void> {
  const eager = await recallServers(servers, options, stop);
  const { gateMs, uncached, concurrency } = options.startup;
  const waiting = eager.map((server) => {
    const { verdict, settled } = server;
    return { server, settled, patience: patienceFor({ lazy: false, verdict }, uncached) };
  });
  const inOrder = byPatience(waiting).map(({ server }) => server);
  void startInOrder(inOrder, concurrency, stop);
  await waitAtGate(waiting, gateMs, stop);
}

/**
 * Like `startServers`, but waits for every server that is not lazy, whatever the catalog knows, and gives up at the first failure.
 *
 * @throws McpError the first server's failure; what was started is not closed.
 */
export async function startAllOrNone(
  servers: readonly ManagedServer[],
  options: ResolvedManagerOptions,
  stop: AbortSignal,
): Promise<void> {
  const eager = await recallServers(servers, options, stop);
  void startInOrder(eager, options.startup.concurrency, stop);
  const failure = await raceSignal(firstFailure(eager), stop).catch(() => undefined); // Only the signal makes it reject.
  if (failure !== undefined && !stop.aborted) throw failure;
}

/** Gives each server its catalog record. @returns the servers to wake: those that are not lazy. */
async function recallServers(
  servers: readonly ManagedServer[],
  options: ResolvedManagerOptions,
  stop: AbortSignal,
): Promise<readonly ManagedServer[]> {
  const records = await readCatalog(servers, options, stop);
  for (const server of servers) server.recall(records.get(server.definition.name));
  return servers.filter(({ definition }) => definition.lazy !== true);
}

async function readCatalog(
  servers: readonly ManagedServer[],
  { cache, resolve, principal, startup, log }: ResolvedManagerOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CatalogRecord>> {
  if (cache === undefined) return new Map();
  const { staleAfterMs } = startup;
  const definitions = servers.map(({ definition }) => definition);
  const records = lookUpServers(definitions, { cache, resolve, principal, staleAfterMs, log }, signal);
  try {
    return await raceSignal(records, signal);
  } catch (error) {
    if (!signal.aborted) log("warn", "The catalog could not be read.", { error: thrownText(error) });
    return new Map();
  }
}
