import {
  type CatalogEntry,
  type CatalogIdentity,
  isMcpError,
  type Logger,
  McpError,
  type ResolveServer,
  type ServerDefinition,
  type ToolCache,
  thrownText,
} from "@jackfield/mcp-core";
import { createDeadline, raceSignal } from "./deadline.ts";
import { type CatalogRecord, judge } from "./server/catalog-record.ts";

/** A server whose variables take longer than this to fill in does not hold up the others: it starts without the catalog. */
const RESOLVE_TIMEOUT_MS = 1_000;

/** The most servers resolved at a time: a thousand at once slow down the garbage collector. */
const MOST_RESOLVING = 64;

export interface CatalogLookupOptions {
  readonly cache: ToolCache;
  readonly resolve: ResolveServer;
  readonly principal: string | undefined;
  readonly staleAfterMs: number;
  readonly log: Logger;
}

/**
 * Looks up many servers in the catalog. A server whose variables cannot be filled in is missing from the result; its connection will
 * report why.
 */
export async function lookUpServers(
  definitions: readonly ServerDefinition[],
  options: CatalogLookupOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CatalogRecord>> {
  const known = [...(await identifyInTime(definitions, options, signal))];
  const entries = await options.cache.getMany(known.map(([, identity]) => identity.id));
  const now = Date.now();
  return new Map(
    known.map(([name, identity]) => [name, record(identity, entries.get(identity.id), now, options)]),
  );
}

function record(
  identity: CatalogIdentity,
  entry: CatalogEntry | undefined,
  now: number,
  { staleAfterMs }: CatalogLookupOptions,
): CatalogRecord {
  return { identity, entry, verdict: judge(entry, identity, now, staleAfterMs) };
}

/** Catalog identities by server name. All servers share one deadline: one for each would add up with a thousand servers. */
async function identifyInTime(
  definitions: readonly ServerDefinition[],
  options: CatalogLookupOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CatalogIdentity>> {
  const known = new Map<string, CatalogIdentity>();
  const gaveUp = () => new McpError("MCP_ABORTED", "The catalog lookup for this server was aborted.");
  using deadline = createDeadline({
    signal,
    timeoutMs: RESOLVE_TIMEOUT_MS,
    aborted: gaveUp,
    expired: gaveUp,
  });
  const queue = definitions.values();
  const lane = async () => {
    for (const definition of queue) {
      if (deadline.signal.aborted) return;
      const identity = await identify(definition, options, deadline.signal);
      if (identity !== undefined) known.set(definition.name, identity);
    }
  };
  const lanes = Array.from({ length: Math.min(MOST_RESOLVING, definitions.length) }, lane);
  await raceSignal(Promise.all(lanes), deadline.signal).catch(() => {}); // Late servers are missing.
  return known;
}

async function identify(
  definition: ServerDefinition,
  { cache, resolve, principal, log }: CatalogLookupOptions,
  signal: AbortSignal,
): Promise<CatalogIdentity | undefined> {
  if (definition.transport === "in-process") return undefined; // An object in memory has no identity on disk.
  try {
    const user = definition.shared === true ? undefined : principal; // A shared server has one entry for all users.
    return await cache.identify(await resolve(definition, { signal, principal: user }), user);
  } catch (error) {
    if (!isMcpError(error))
      log("warn", "The catalog could not identify a server.", {
        server: definition.name,
        error: thrownText(error),
      });
    return undefined;
  }
}
