import { createTimeSlices, raceSignal, thrownText } from "@jackfield/mcp-core";
import { type CatalogLookup, lookUpServers } from "../catalog-lookup.ts";
import type { ResolvedManagerOptions } from "../options.ts";
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
  const { eager, late } = await recallServers(servers, options, stop);
  const { gateMs, uncached, concurrency } = options.startup;
  const waiting = eager.map((server) => {
    const { verdict, settled } = server;
    const patience = () => patienceFor({ lazy: false, verdict: server.verdict }, uncached);
    const laterPatience = late.get(server)?.then(patience);
    return { server, settled, patience: patienceFor({ lazy: false, verdict }, uncached), laterPatience };
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
  const { eager } = await recallServers(servers, options, stop);
  void startInOrder(eager, options.startup.concurrency, stop);
  const failure = await raceSignal(firstFailure(eager), stop).catch(() => undefined); // Only the signal makes it reject.
  if (failure !== undefined && !stop.aborted) throw failure;
}

interface RecalledServers {
  /** The servers to wake: those that are not lazy. */
  readonly eager: readonly ManagedServer[];
  /** Servers whose records come later; each resolves when it has been recalled, or has none. */
  readonly late: ReadonlyMap<ManagedServer, Promise<void>>;
}

/** Gives each server its catalog record. */
async function recallServers(
  servers: readonly ManagedServer[],
  options: ResolvedManagerOptions,
  stop: AbortSignal,
): Promise<RecalledServers> {
  const { records, late } = await readCatalog(servers, options, stop);
  const slices = createTimeSlices();
  const comingLate = new Map<ManagedServer, Promise<void>>();
  for (const server of servers) {
    const { name } = server.definition;
    server.recall(records.get(name));
    const recalled = late.get(name)?.then((record) => {
      if (record !== undefined && !stop.aborted) server.recall(record);
    });
    if (recalled !== undefined) comingLate.set(server, recalled);
    if (slices.isOver()) await slices.next();
  }
  return { eager: servers.filter(({ definition }) => definition.lazy !== true), late: comingLate };
}

const NOTHING_FOUND: CatalogLookup = { records: new Map(), late: new Map() };

async function readCatalog(
  servers: readonly ManagedServer[],
  { cache, resolve, auth, principal, startup, log }: ResolvedManagerOptions,
  signal: AbortSignal,
): Promise<CatalogLookup> {
  if (cache === undefined) return NOTHING_FOUND;
  const { staleAfterMs } = startup;
  const definitions = servers.map(({ definition }) => definition);
  const records = lookUpServers(definitions, { cache, resolve, auth, principal, staleAfterMs, log }, signal);
  try {
    return await raceSignal(records, signal);
  } catch (error) {
    if (!signal.aborted) log("warn", "The catalog could not be read.", { error: thrownText(error) });
    return NOTHING_FOUND;
  }
}
