import { resolve } from "node:path";
import { type Logger, type ToolCache, thrownText } from "@jackfield/mcp-core";
import { createMcpManager, type McpManager } from "@jackfield/mcp-manager";
import type { AdvisedServers } from "./blocked-servers.ts";
import { beginClosing, type ClosingDeadline } from "./closing-work.ts";
import { type Configuration, createConfiguration, type ReadConfiguration } from "./configuration.ts";
import { createDiagnosticNews, type DiagnosticNews } from "./diagnostic-news.ts";
import { createExaKeyFinder } from "./exa-keys.ts";
import { createGuards } from "./guards.ts";
import { processRecordPlace, reportLeftovers } from "./leftover-report.ts";
import { createMcp, type Mcp } from "./mcp.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { checkOptions } from "./option-shapes.ts";
import { searchedPlaces } from "./searched-places.ts";
import { createSecrecy } from "./secrecy.ts";
import { createSecretlessCatalog } from "./secretless-catalog.ts";
import { createServerPorts, type ServerPorts } from "./server-ports.ts";
import { createServerSearch, type ServerSearch } from "./server-search.ts";
import { createStoredLogins } from "./stored-logins.ts";
import { createLateConnector } from "./transports.ts";
import { NOTHING_IS_KEPT_WARNING } from "./unknown-home.ts";

/**
 * Reads the configuration, connects the servers and returns as soon as tools can be used: at once if the catalog knows every server, else
 * when the servers it does not know are ready or have failed.
 *
 * A bad file or entry never makes it fail, nor does a server, unless `startup.failures` is `throw`: see `report` and `servers()`. Servers
 * that a project brings do not run before exactly their content is approved; until then they are in `report.blocked`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for invalid options, `MCP_CONFIG_NOT_FOUND` if the file of `guards.lock` cannot be read,
 * `MCP_ABORTED` if the signal fires; the first server's error if `startup.failures` is `throw`.
 */
export async function openMcp(options: OpenMcpOptions = {}): Promise<Mcp> {
  checkOptions(options);
  const {
    cwd,
    cache,
    connect,
    http,
    clientInfo,
    guards,
    approval,
    use,
    toolPolicies,
    signal,
    ...managerOptions
  } = options;
  const processRecord = processRecordPlace();
  const secrecy = createSecrecy(options.log);
  const { log } = secrecy;
  secrecy.admit(options.principal);
  if (processRecord === undefined) log("warn", NOTHING_IS_KEPT_WARNING);
  let manager: McpManager | undefined;
  const refresh = async (server: string) => manager?.refreshTools(server);
  const { statusChanged, saved, ...guarded } = await createGuards({
    guards,
    approval,
    use,
    toolPolicies,
    cwd,
    log,
    refresh,
  });
  const stop = new AbortController();
  const search = createServerSearch(options, log, stop.signal);
  const [opened, leftovers] = await Promise.all([
    search.read(),
    connect === undefined ? reportLeftovers(processRecord, log) : [],
  ]);
  const catalog = await openCatalog(cache, { cwd, log, isHomeKnown: processRecord !== undefined });
  const logins =
    options.auth === undefined ? createStoredLogins({ places: searchedPlaces(options), log }) : undefined;
  const release = async (deadline: ClosingDeadline) => {
    stop.abort();
    await Promise.all([catalog.release(), logins?.close(deadline), saved(deadline)]);
  };
  try {
    const connector = connect ?? createLateConnector({ clientInfo, http, processRecord });
    const { resolve, connect: reach } = createServerPorts(options, connector, search, secrecy);
    const ports = { resolve: logins ? logins.follow(resolve) : resolve, connect: reach };
    manager = createMcpManager({
      ...managerOptions,
      ...guarded,
      servers: opened.merged.servers,
      auth: options.auth ?? logins?.auth,
      ...ports,
      log,
      cache: catalog.cache && createSecretlessCatalog(catalog.cache, secrecy),
    });
    if (statusChanged !== undefined) manager.on("statusChanged", statusChanged);
    const news = createDiagnosticNews(log);
    const following = { search, ports, news, options, log, signal: stop.signal };
    const configuration = configure(manager, opened, following);
    const started = await manager.start({ signal });
    const { closeTimeoutMs } = options;
    const opening = { configuration, started, leftovers, news, secrecy, closeTimeoutMs };
    return createMcp(manager, opening, release);
  } catch (error) {
    await release(beginClosing(options.closeTimeoutMs));
    throw error;
  }
}

interface Following {
  readonly search: ServerSearch;
  readonly ports: ServerPorts;
  readonly news: DiagnosticNews;
  readonly options: OpenMcpOptions;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Follows the configuration: asks for approval in the background, and starts what was approved. */
function configure(
  manager: McpManager,
  opened: ReadConfiguration,
  { search, ports, news, options, log, signal }: Following,
): Configuration {
  const { read, merge } = search;
  const findExaKeys = createExaKeyFinder(options, ports.resolve, log, signal);
  const applied = (merged: AdvisedServers) => {
    const { diagnostics, approvalWarning } = merged;
    news.replace(approvalWarning === undefined ? diagnostics : [...diagnostics, approvalWarning]);
    findExaKeys(merged);
    search.follow(merged, startApproved);
  };
  const configuration = createConfiguration(opened, { read, merge, applied });
  function startApproved(): void {
    configuration.reconsider(manager).catch((error: unknown) => {
      if (!signal.aborted)
        log("warn", "an approved server could not be started", { error: thrownText(error) });
    });
  }
  applied(opened.merged);
  return configuration;
}

interface OpenedCatalog {
  readonly cache: ToolCache | undefined;
  /** Closes the catalog if it was opened here. */
  release(): Promise<void>;
}

interface CatalogSurroundings extends Pick<OpenMcpOptions, "cwd"> {
  readonly log: Logger;
  readonly isHomeKnown: boolean;
}

async function openCatalog(
  option: OpenMcpOptions["cache"],
  { cwd = ".", log, isHomeKnown }: CatalogSurroundings,
): Promise<OpenedCatalog> {
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

/** Drops the first message: a catalog without a directory says that it has none, which `NOTHING_IS_KEPT_WARNING` has said. */
function withoutFirst(log: Logger): Logger {
  let isFirst = true;
  return (...said) => {
    if (!isFirst) log(...said);
    isFirst = false;
  };
}
