import type { ClosingDeadline } from "./closing-work.ts";
import type { ReadConfiguration } from "./configuration.ts";
import { createGuards, type JoinedGuards } from "./guards.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { openCatalog, type RuntimeCatalog } from "./runtime-catalog.ts";
import { searchedPlaces } from "./searched-places.ts";
import { createSecrecy, type Secrecy } from "./secrecy.ts";
import { createServerSearch, type ServerSearch } from "./server-search.ts";
import { createStoredLogins, type StoredLogins } from "./stored-logins.ts";
import { hasStateDirectory, NO_STATE_DIRECTORY_WARNING } from "./unknown-home.ts";

/** What a runtime needs besides its manager. */
export interface RuntimeServices {
  readonly secrecy: Secrecy;
  readonly guards: JoinedGuards;
  readonly search: ServerSearch;
  /** The configuration, read once. */
  readonly opened: ReadConfiguration;
  readonly catalog: RuntimeCatalog;
  /** Missing if the caller brings an `auth` port. */
  readonly logins: StoredLogins | undefined;
  /** Aborted by `release`. */
  readonly signal: AbortSignal;
  /** Frees everything, within the time that is left. */
  release(deadline: ClosingDeadline): Promise<void>;
}

/**
 * Opens guards, configuration, catalog and logins.
 *
 * @param refresh - lists a server's tools again
 * @throws McpError as `createGuards` does, with nothing left open
 */
export async function openServices(
  options: OpenMcpOptions,
  refresh: (server: string) => Promise<void>,
): Promise<RuntimeServices> {
  const { guards: guardOptions, approval, use, toolPolicies, cache, cwd, principal } = options;
  const isHomeKnown = hasStateDirectory();
  const secrecy = createSecrecy(options.log);
  const { log } = secrecy;
  secrecy.admit(principal);
  if (!isHomeKnown) log("warn", NO_STATE_DIRECTORY_WARNING);
  const guards = await createGuards({ guards: guardOptions, approval, use, toolPolicies, cwd, log, refresh });
  const stop = new AbortController();
  const { signal } = stop;
  const search = createServerSearch(options, log, signal);
  const opened = await search.read();
  const catalog = await openCatalog({ cache, cwd, log, isHomeKnown });
  const logins =
    options.auth === undefined ? createStoredLogins({ places: searchedPlaces(options), log }) : undefined;
  const release = async (deadline: ClosingDeadline) => {
    stop.abort();
    await Promise.all([catalog.release(), logins?.close(deadline), guards.saved(deadline)]);
  };
  return { secrecy, guards, search, opened, catalog, logins, signal, release };
}
