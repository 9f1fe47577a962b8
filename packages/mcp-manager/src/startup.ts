import {
  createTimeSlices,
  McpError,
  type ResolvedServer,
  type ResolveServer,
  raceSignal,
  type ServerDefinition,
  type ServerSnapshot,
  startTimer,
  thrownText,
} from "@jackfield/mcp-core";
import { type CatalogLookup, lookUpServers } from "./catalog-lookup.ts";
import {
  type ConfiguredServer,
  isUnusable,
  isUsable,
  type ResolvedManagerOptions,
  type UnusableServer,
} from "./options.ts";
import type { CatalogVerdict } from "./server/catalog-record.ts";
import type { ManagedServer } from "./server/managed-server.ts";
import type { ServerDirectory } from "./server-directory.ts";

/** One run of a manager: it ends with `close()`, and the next `start()` begins another. */
export class Run {
  /** Fires when the run is to end. */
  readonly stop = new AbortController();
  /** Fires when its end is not to wait for requests any more. */
  readonly hurry = new AbortController();
  /** Resolves when the previous run has ended; missing in the first. */
  readonly before: Promise<void> | undefined;
  /** Resolves when the previous run's servers are closed and this run's are made. Rejects if this run is closed meanwhile. */
  renewed: Promise<void> | undefined;
  starting: Promise<StartupReport> | undefined;
  closed: Promise<void> | undefined;

  constructor(before?: Promise<void>) {
    this.before = before;
  }

  /** @throws McpError `MCP_CLOSED` */
  refuseIfClosed(): void {
    if (this.closed !== undefined) throw closedError();
  }
}

export function closedError(): McpError {
  return new McpError("MCP_CLOSED", "The runtime was closed; open it again to use its servers.", {
    outcome: "not-sent",
  });
}

export interface StartRunOptions {
  readonly directory: ServerDirectory;
  readonly options: ResolvedManagerOptions;
  readonly signal: AbortSignal | undefined;
  /** The configuration of a run that follows another; called when the other has ended. */
  readonly latest: () => readonly ConfiguredServer[];
  /** Closes the run when starting it fails. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a manager's servers, which are made anew after a `close()`, and reports the result.
 *
 * @throws McpError `MCP_ABORTED` if the signal fires, `MCP_CLOSED`, or the first server's failure if all must come up. If starting
 * fails, everything is closed first, including what calls had connected before.
 */
export async function startRun(
  run: Run,
  { directory, options, signal, latest, close }: StartRunOptions,
): Promise<StartupReport> {
  const startedAt = process.hrtime.bigint(); // Unlike `performance`, it loads no module.
  if (run.before !== undefined) {
    run.renewed = renewAfter(run.before, run, () => directory.renew(latest()));
    await run.renewed;
  }
  const stop = AbortSignal.any([run.stop.signal, ...(signal === undefined ? [] : [signal])]);
  const start = options.startup.failures === "throw" ? startAllOrNone : startServers;
  try {
    await start(directory.all(), options, stop);
    if (signal?.aborted === true) throw new McpError("MCP_ABORTED", "Starting the servers was aborted.");
  } catch (error) {
    await close();
    throw error;
  }
  run.refuseIfClosed();
  const tookMs = Number((process.hrtime.bigint() - startedAt) / 1_000_000n);
  return reportStartup(directory.all(), directory.configured, tookMs);
}

async function renewAfter(before: Promise<void>, run: Run, renew: () => void): Promise<void> {
  await before;
  run.refuseIfClosed();
  renew();
}

/**
 * Starts servers: offers their tools from the catalog, then connects them. Resolves when start-up need not wait for any longer, or the
 * signal fires; late servers go on in the background.
 */
export async function startServers(
  servers: readonly ManagedServer[],
  options: ResolvedManagerOptions,
  stop: AbortSignal,
): Promise<void> {
  const resolve = resolvedOnce(options.resolve);
  const { eager, late } = await recallServers(servers, { ...options, resolve }, stop);
  const { gateMs, uncached, concurrency } = options.startup;
  const waiting = eager.map((server) => {
    const { verdict, settled } = server;
    const wait = () => waitFor({ lazy: false, verdict: server.verdict }, uncached);
    const laterWait = late.get(server)?.then(wait);
    return { server, settled, wait: waitFor({ lazy: false, verdict }, uncached), laterWait };
  });
  const inOrder = longestWaitFirst(waiting).map(({ server }) => server);
  void startInOrder(inOrder, resolve, concurrency, stop);
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
  const resolve = resolvedOnce(options.resolve);
  const { eager } = await recallServers(servers, { ...options, resolve }, stop);
  void startInOrder(eager, resolve, options.startup.concurrency, stop);
  const failure = await raceSignal(firstFailure(eager), stop).catch(() => undefined); // Only the signal makes it reject.
  if (failure !== undefined && !stop.aborted) throw failure;
}

/** How long values also serve to connect a server, after they were filled in to look it up, in milliseconds: a token may live for a minute. */
const VALUES_SERVE_MS = 5_000;

/** Fills in each server's values once for its lookup in the catalog and the attempt to connect it; again if that failed. */
function resolvedOnce(resolve: ResolveServer): ResolveServer {
  const until = performance.now() + VALUES_SERVE_MS;
  const resolving = new Map<ServerDefinition, Promise<ResolvedServer>>();
  return (definition, options) => {
    const begun = performance.now() < until ? resolving.get(definition) : undefined;
    if (begun !== undefined) return begun.catch(() => resolve(definition, options));
    const beginning = resolve(definition, options);
    resolving.set(definition, beginning);
    return beginning;
  };
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
  const isWanted = () => !stop.aborted;
  const comingLate = new Map<ManagedServer, Promise<void>>();
  for (const server of servers) {
    const { name } = server.definition;
    const known = records.get(name);
    const preparing = server.prepared(known?.entry, isWanted);
    if (preparing !== undefined) await preparing;
    server.recall(known);
    const recalled = late.get(name)?.then(async (record) => {
      await server.prepared(record?.entry, isWanted);
      if (record !== undefined && !stop.aborted) server.recall(record);
    });
    if (recalled !== undefined) comingLate.set(server, recalled);
    if (slices.isOver()) await slices.next();
  }
  return { eager: servers.filter(({ isLazy }) => !isLazy), late: comingLate };
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

/** Wakes servers in order, `concurrency` at a time: the next one starts when one has settled. Resolves when all have. */
async function startInOrder(
  servers: readonly ManagedServer[],
  resolve: ResolveServer,
  concurrency: number,
  signal: AbortSignal,
): Promise<void> {
  const queue = servers.values();
  const worker = async () => {
    for (const server of queue) {
      if (signal.aborted) return;
      server.wake(resolve);
      await server.settled;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, servers.length) }, worker));
}

/** Resolves with the error of the first server that settles by failing; if none does, when all have settled. */
async function firstFailure(servers: readonly ManagedServer[]): Promise<McpError | undefined> {
  const failed = Promise.withResolvers<McpError>();
  const allSettled = servers.map(async (server) => {
    await server.settled;
    if (server.error !== undefined) failed.resolve(server.error);
  });
  return await Promise.race([failed.promise, Promise.all(allSettled).then(() => undefined)]);
}

/** How long start-up waits for a server: not at all, up to the gate, for `BRIEFLY_MS`, or until it has settled. */
export type Wait = "none" | "gate" | "briefly" | "settled";

/** How long start-up waits for a server that has failed lately and that nothing is known of. It may be up again; if it is not, it may hang. */
const BRIEFLY_MS = 3_000;

/** Servers that start-up waits for longest connect first: queued behind others they would delay it. */
const WAITS: readonly Wait[] = ["settled", "briefly", "gate", "none"];

/** Sorts servers by how long start-up waits for them, longest first; otherwise the order stays. */
export function longestWaitFirst<T extends { readonly wait: Wait }>(servers: readonly T[]): readonly T[] {
  return WAITS.flatMap((wait) => servers.filter((server) => server.wait === wait));
}

/**
 * Decides how long start-up waits for a server. Pure.
 *
 * A lazy server is not connected at start-up, so there is nothing to wait for. A server that hangs slows down one start a minute, not
 * every start.
 */
export function waitFor(
  server: { readonly lazy: boolean; readonly verdict: CatalogVerdict },
  uncached: "wait" | "later",
): Wait {
  const { freshness, failedLately } = server.verdict;
  if (server.lazy || freshness === "fresh") return "none";
  if (freshness === "stale" || uncached === "later") return "gate";
  return failedLately ? "briefly" : "settled";
}

export interface GatedServer {
  readonly wait: Wait;
  readonly settled: Promise<void>;
  /** How long start-up waits for it once its catalog record is there; missing if that was known from the beginning. */
  readonly laterWait?: Promise<Wait> | undefined;
}

/** Waits for each server as long as it is to be waited for; the signal ends all waiting. */
export async function waitAtGate(
  servers: readonly GatedServer[],
  gateMs: number,
  signal: AbortSignal,
): Promise<void> {
  const gate = Promise.withResolvers<void>();
  const brief = Promise.withResolvers<void>();
  const settledLater = async ({ settled, laterWait }: GatedServer) => {
    const wait = await laterWait;
    if (wait === "gate") await gate.promise;
    if (wait === "briefly") await brief.promise;
    if (wait === "settled") await settled;
  };
  const awaited = (server: GatedServer) =>
    server.laterWait === undefined ? server.settled : Promise.race([server.settled, settledLater(server)]);
  const settledOf = (wait: Wait) =>
    Promise.all(servers.filter((server) => server.wait === wait).map(awaited));
  const timers = [startTimer(gate.resolve, gateMs), startTimer(brief.resolve, Math.max(gateMs, BRIEFLY_MS))];
  const ready = Promise.all([
    settledOf("settled"),
    Promise.race([settledOf("briefly"), brief.promise]),
    Promise.race([settledOf("gate"), gate.promise]),
  ]);
  await raceSignal(ready, signal).catch(() => {}); // Only the signal makes it reject.
  for (const timer of timers) clearTimeout(timer);
}

/** The result of a start. Each server is in exactly one list. Frozen. */
export interface StartupReport {
  /** Connected, with live tools. */
  readonly ready: readonly ServerSnapshot[];
  /** Not connected or listed yet, or lazy; its tools come from the catalog. */
  readonly cached: readonly ServerSnapshot[];
  /** Could not be connected or listed, or cannot be used at all; `error` says why. */
  readonly failed: readonly { readonly name: string; readonly error: McpError }[];
  /** Neither ready, nor failed, nor in the catalog; its tools are announced through `toolsChanged`. */
  readonly waiting: readonly ServerSnapshot[];
  /** Configured but not started, because it is switched off or nobody has approved it; `reason` says why. */
  readonly blocked: readonly { readonly name: string; readonly reason: string }[];
  /** From the call of `start()` to its return, in milliseconds. */
  readonly tookMs: number;
}

interface Reported {
  readonly definition: { readonly name: string };
  readonly error: McpError | undefined;
  snapshot(): ServerSnapshot;
}

function reportStartup(
  servers: readonly Reported[],
  configured: readonly ConfiguredServer[],
  tookMs: number,
): StartupReport {
  const failed = servers.flatMap(({ definition, error }) =>
    error === undefined ? [] : [{ name: definition.name, error }],
  );
  const snapshots = servers.filter((server) => server.error === undefined).map((server) => server.snapshot());
  const isReady = ({ status, toolsFrom }: ServerSnapshot) => status === "ready" && toolsFrom === "live";
  const isCached = (snapshot: ServerSnapshot) =>
    !isReady(snapshot) && ["cache", "stale"].includes(snapshot.toolsFrom);
  const isWaiting = (snapshot: ServerSnapshot) => !isReady(snapshot) && !isCached(snapshot);
  const off = configured
    .filter(isUsable)
    .filter(({ enabled }) => enabled === false)
    .map(({ name }) => ({ name, reason: "it is switched off where it is defined" }));
  const unusable = configured.filter(isUnusable);
  const isUnapproved = ({ error }: UnusableServer) => error.code === "MCP_APPROVAL_REQUIRED";
  const unapproved = unusable
    .filter(isUnapproved)
    .map(({ name, error }) => ({ name, reason: error.message }));
  for (const server of unusable)
    if (!isUnapproved(server)) failed.push({ name: server.name, error: server.error });
  // Later calls of `start()` return the same report ([R35]).
  return Object.freeze({
    ready: frozen(snapshots.filter(isReady)),
    cached: frozen(snapshots.filter(isCached)),
    failed: frozen(failed),
    waiting: frozen(snapshots.filter(isWaiting)),
    blocked: frozen([...off, ...unapproved]),
    tookMs,
  });
}

function frozen<T extends object>(items: readonly T[]): readonly T[] {
  return Object.freeze(items.map((item) => Object.freeze(item)));
}
