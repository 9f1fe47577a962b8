import {
  type CatalogEntry,
  type CatalogIdentity,
  isMcpError,
  type Logger,
  McpError,
  type ResolveServer,
  type ServerDefinition,
  type ToolCache,
} from "@jackfield/mcp-core";
import { createDeadline, raceSignal } from "./deadline.ts";
import { type CatalogShelf, judge } from "./server/catalog-record.ts";

/** A server whose variables take longer than this to fill in does not hold up the others: it starts without the catalog. */
const RESOLVE_TIMEOUT_MS = 1_000;

export interface CatalogRoomOptions {
  readonly cache: ToolCache;
  readonly resolve: ResolveServer;
  readonly principal: string | undefined;
  readonly staleAfterMs: number;
  readonly log: Logger;
}

/**
 * Asks the catalog for many servers at once. A server whose variables cannot be filled in has no place in the catalog: it is
 * missing from the answer, and its connection will say why.
 */
export async function openShelves(
  definitions: readonly ServerDefinition[],
  options: CatalogRoomOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CatalogShelf>> {
  const identities = await Promise.all(
    definitions.map((definition) => identify(definition, options, signal)),
  );
  const known = definitions.flatMap(({ name }, index) => {
    const identity = identities[index];
    return identity === undefined ? [] : [{ name, identity }];
  });
  const entries = await options.cache.getMany(known.map(({ identity }) => identity.id));
  const now = Date.now();
  return new Map(
    known.map(({ name, identity }) => [name, shelf(identity, entries.get(identity.id), now, options)]),
  );
}

function shelf(
  identity: CatalogIdentity,
  entry: CatalogEntry | undefined,
  now: number,
  { staleAfterMs }: CatalogRoomOptions,
): CatalogShelf {
  return { identity, entry, verdict: judge(entry, identity, now, staleAfterMs) };
}

async function identify(
  definition: ServerDefinition,
  { cache, resolve, principal, log }: CatalogRoomOptions,
  signal: AbortSignal,
): Promise<CatalogIdentity | undefined> {
  if (definition.transport === "in-process") return undefined; // An object in memory has no identity on disk.
  const expired = () =>
    new McpError("MCP_CONFIG_INVALID", `The variables of server "${definition.name}" take long to fill in.`);
  using deadline = createDeadline({ signal, timeoutMs: RESOLVE_TIMEOUT_MS, aborted: expired, expired });
  try {
    const resolved = await raceSignal(resolve(definition, { signal: deadline.signal }), deadline.signal);
    return await cache.identify(resolved, principal);
  } catch (error) {
    if (!isMcpError(error))
      log("warn", "the catalog could not identify a server", {
        server: definition.name,
        error: String(error),
      });
    return undefined;
  }
}
