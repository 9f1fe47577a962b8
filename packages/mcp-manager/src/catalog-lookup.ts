import {
  type AuthPort,
  type CatalogEntry,
  type CatalogIdentity,
  createDeadline,
  isMcpError,
  type Logger,
  McpError,
  ownCredentials,
  type ResolvedServer,
  type ResolveServer,
  raceSignal,
  type ServerDefinition,
  type ToolCache,
  thrownText,
} from "@jackfield/mcp-core";
import { type CatalogRecord, judge } from "./server/catalog-record.ts";
import { reachedFor } from "./server/connection.ts";

/** A server whose variables take longer than this to fill in does not hold up the others: its record comes later. */
const RESOLVE_TIMEOUT_MS = 1_000;

/** The most servers resolved at a time: a thousand at once slow down the garbage collector. */
const MOST_RESOLVING = 64;

export interface CatalogLookupOptions {
  readonly cache: ToolCache;
  readonly resolve: ResolveServer;
  readonly auth: AuthPort | undefined;
  readonly principal: string | undefined;
  readonly staleAfterMs: number;
  readonly log: Logger;
}

/** What the catalog knows of servers. */
export interface CatalogLookup {
  /** The records by server name. A server whose variables cannot be filled in has none; its connection will report why. */
  readonly records: ReadonlyMap<string, CatalogRecord>;
  /** The record of each server whose variables take long, once there is one. It does not reject. */
  readonly late: ReadonlyMap<string, Promise<CatalogRecord | undefined>>;
}

/** Looks up many servers in the catalog. */
export async function lookUpServers(
  definitions: readonly ServerDefinition[],
  options: CatalogLookupOptions,
  signal: AbortSignal,
): Promise<CatalogLookup> {
  const { known, late } = await identifyInTime(definitions, options, signal);
  const records = await readRecords(known, options);
  const recordOf = async (name: string, identifying: Promise<CatalogIdentity | undefined>) => {
    const identity = await identifying;
    if (identity === undefined) return undefined;
    return (await readRecords(new Map([[name, identity]]), options)).get(name);
  };
  const lateRecords = Array.from(late, ([name, identifying]) => {
    const record = recordOf(name, identifying).catch((error: unknown) => {
      options.log("warn", "The catalog could not be read.", { server: name, error: thrownText(error) });
      return undefined;
    });
    return [name, record] as const;
  });
  return { records, late: new Map(lateRecords) };
}

async function readRecords(
  known: ReadonlyMap<string, CatalogIdentity>,
  { cache, staleAfterMs }: CatalogLookupOptions,
): Promise<ReadonlyMap<string, CatalogRecord>> {
  const entries = await cache.getMany(Array.from(known.values(), ({ id }) => id));
  const now = Date.now();
  const record = (identity: CatalogIdentity, entry: CatalogEntry | undefined) => {
    return { identity, entry, verdict: judge(entry, identity, now, staleAfterMs) };
  };
  return new Map(Array.from(known, ([name, identity]) => [name, record(identity, entries.get(identity.id))]));
}

interface Identified {
  readonly known: ReadonlyMap<string, CatalogIdentity>;
  /** Servers that are not identified yet. */
  readonly late: ReadonlyMap<string, Promise<CatalogIdentity | undefined>>;
}

/** Catalog identities by server name. All servers share one deadline: one for each would add up with a thousand servers. */
async function identifyInTime(
  definitions: readonly ServerDefinition[],
  options: CatalogLookupOptions,
  signal: AbortSignal,
): Promise<Identified> {
  const known = new Map<string, CatalogIdentity>();
  const awaited = new Map<string, PromiseWithResolvers<CatalogIdentity | undefined>>();
  for (const { name } of definitions) awaited.set(name, Promise.withResolvers());
  const gaveUp = () => new McpError("MCP_ABORTED", "The catalog lookup for this server was aborted.");
  using deadline = createDeadline({
    signal,
    timeoutMs: RESOLVE_TIMEOUT_MS,
    aborted: gaveUp,
    expired: gaveUp,
  });
  const queue = definitions.values();
  let isLate = false;
  const worker = async () => {
    for (const definition of queue) {
      const identity = signal.aborted ? undefined : await identify(definition, options, signal);
      awaited.get(definition.name)?.resolve(identity);
      if (isLate) continue;
      awaited.delete(definition.name);
      if (identity !== undefined) known.set(definition.name, identity);
    }
  };
  const workers = Array.from({ length: Math.min(MOST_RESOLVING, definitions.length) }, worker);
  await raceSignal(Promise.all(workers), deadline.signal).catch(() => {});
  isLate = true;
  return { known, late: new Map(Array.from(awaited, ([name, { promise }]) => [name, promise])) };
}

async function identify(
  definition: ServerDefinition,
  options: CatalogLookupOptions,
  signal: AbortSignal,
): Promise<CatalogIdentity | undefined> {
  if (definition.transport === "in-process") return undefined; // An object in memory has no identity on disk.
  const { resolve, log } = options;
  try {
    const principal = reachedFor(definition, options.principal);
    const server = await resolve(definition, { signal, principal });
    return await identifyServer(definition, server, options);
  } catch (error) {
    if (!isMcpError(error))
      log("warn", "The catalog could not identify a server.", {
        server: definition.name,
        error: thrownText(error),
      });
    return undefined;
  }
}

/**
 * The identity under which a server's lists belong into the catalog, as it is reached now; `undefined` for one in this process.
 *
 * @param options - `principal`: the user of the manager
 */
export async function identifyServer(
  definition: ServerDefinition,
  server: ResolvedServer,
  options: Pick<CatalogLookupOptions, "cache" | "auth" | "principal">,
): Promise<CatalogIdentity | undefined> {
  if (definition.transport === "in-process") return undefined;
  const { cache, auth } = options;
  const principal = reachedFor(definition, options.principal);
  const account = principal === undefined ? await accountOf(server, auth) : undefined;
  return cache.identify(server, { definition, principal, account });
}

/** Transports do not ask for credentials if the server has its own. A principal says by itself whose account it is. */
async function accountOf(server: ResolvedServer, auth: AuthPort | undefined): Promise<string | undefined> {
  if (auth === undefined || !("headers" in server) || ownCredentials(server) !== undefined) return undefined;
  const options = { signal: new AbortController().signal };
  if (auth.account !== undefined) return auth.account(server, options);
  const headers = Object.entries(await auth.headers(server, options)).sort(([a], [b]) => (a < b ? -1 : 1));
  return headers.length === 0 ? undefined : JSON.stringify(headers);
}
