import { resolve } from "node:path";
import { KnownCredentials, type Logger, silentLogger, type ToolCache } from "@jackfield/mcp-core";
import type { ClosingDeadline } from "./closing-work.ts";
import type { ReadConfiguration } from "./configuration.ts";
import { createGuards, type JoinedGuards } from "./guards.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { searchedPlaces } from "./searched-places.ts";
import { createServerSearch, type ServerSearch } from "./server-search.ts";
import { createStoredLogins, type StoredLogins } from "./stored-logins.ts";
import { openTelemetry, type Telemetry } from "./telemetry.ts";
import { hasStateDirectory, NO_STATE_DIRECTORY_WARNING } from "./unknown-home.ts";
import { warningsOnStandardError } from "./warnings.ts";

/** What a runtime needs besides its manager. */
export interface RuntimeServices {
  /** The credentials of all servers and users, which are hidden in errors and in what is logged. */
  readonly credentials: KnownCredentials;
  readonly log: Logger;
  readonly guards: JoinedGuards;
  readonly search: ServerSearch;
  /** The configuration, read once. */
  readonly opened: ReadConfiguration;
  readonly catalog: RuntimeCatalog;
  /** Missing if the caller brings an `auth` port. */
  readonly logins: StoredLogins | undefined;
  readonly telemetry: Telemetry | undefined;
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
  const { cache, cwd, principal } = options;
  const isHomeKnown = hasStateDirectory();
  const credentials = new KnownCredentials();
  const { log: given = warningsOnStandardError() } = options;
  const log = credentials.logger(given === false ? silentLogger : given);
  credentials.admit(principal);
  if (!isHomeKnown) log("warn", NO_STATE_DIRECTORY_WARNING);
  const guards = await createGuards({ ...options, log, refresh });
  const telemetry = options.telemetry === true ? await openTelemetry(credentials, log) : undefined;
  const stop = new AbortController();
  const { signal } = stop;
  const search = createServerSearch(options, log, signal);
  const opened = await search.read();
  const catalog = await openCatalog({ cache, cwd, log, isHomeKnown });
  const logins =
    options.auth === undefined
      ? createStoredLogins({ places: searchedPlaces(options), http: options.http, log })
      : undefined;
  const release = async (deadline: ClosingDeadline) => {
    stop.abort();
    await Promise.all([catalog.release(), logins?.close(deadline), guards.saved(deadline)]);
  };
  return { credentials, log, guards, search, opened, catalog, logins, telemetry, signal, release };
}

/** The catalog of a runtime; missing if the caller wants none. */
interface RuntimeCatalog {
  readonly cache: ToolCache | undefined;
  /** Closes the catalog if it was opened here. */
  release(): Promise<void>;
}

interface RuntimeCatalogOptions extends Pick<OpenMcpOptions, "cache" | "cwd"> {
  readonly log: Logger;
  readonly isHomeKnown: boolean;
}

/** Opens the catalog on disk, unless the caller has one or wants none. Its package is loaded only if it is opened. */
async function openCatalog({
  cache: option,
  cwd = ".",
  log,
  isHomeKnown,
}: RuntimeCatalogOptions): Promise<RuntimeCatalog> {
  if (option === false) return { cache: undefined, release: async () => {} };
  if (option !== undefined && "getMany" in option) return { cache: option, release: async () => {} };
  const { path: named, busyTimeoutMs, maxBytes } = option ?? {};
  const { sqliteToolCache } = await import("@jackfield/mcp-tool-cache");
  const path = named === undefined ? undefined : resolve(cwd, named);
  const hasPlace = isHomeKnown || path !== undefined || Boolean(process.env.XDG_CACHE_HOME);
  const catalogLog = hasPlace ? log : withoutFirst(log);
  const cache = sqliteToolCache({ path, busyTimeoutMs, maxBytes, log: catalogLog });
  return { cache, release: () => cache.close() };
}

/** Drops the first message: a catalog without a directory says that it has none, which `NO_STATE_DIRECTORY_WARNING` has said. */
function withoutFirst(log: Logger): Logger {
  let isFirst = true;
  return (...said) => {
    if (!isFirst) log(...said);
    isFirst = false;
  };
}
