import {
  createServerResolver,
  type DiscoveredServers,
  exaApiKey,
  isExaServer,
  type ServerAdmission,
} from "@jackfield/mcp-config";
import {
  type Connector,
  type Logger,
  type ResolveServer,
  type ServerDefinition,
  thrownText,
} from "@jackfield/mcp-core";
import { createMcpManager, type McpManager } from "@jackfield/mcp-manager";
import type { AdvisedServers } from "./blocked-servers.ts";
import { beginClosing } from "./closing-work.ts";
import { type Configuration, configuredServers, createConfiguration } from "./configuration.ts";
import {
  allDiagnostics,
  createDiagnosticFeed,
  createFaultLog,
  type DiagnosticFeed,
} from "./configuration-report.ts";
import { withDeadlineAdvice } from "./connect-deadline.ts";
import { approvedEntry } from "./entry-authorization.ts";
import { createMcp, type Mcp } from "./mcp.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { checkOpenOptions } from "./option-shapes.ts";
import { runtimeOf } from "./runtime-by-id.ts";
import { openServices, type RuntimeServices } from "./runtime-services.ts";
import { ownStateDirectory } from "./state-directory.ts";
import { createLateConnector } from "./transports.ts";
import { createWebLogins } from "./web-logins.ts";

/**
 * Reads the configuration, connects the servers and returns as soon as tools can be used: at once if the catalog knows every server, else
 * when the servers it does not know are ready or have failed.
 *
 * A bad file or entry never makes it fail, nor does a server, unless `startup.failures` is `throw`: see `report` and `servers()`. Servers
 * that a project brings do not run before exactly their content is approved; until then they are in `report.blocked`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for invalid options, `MCP_CONFIG_NOT_FOUND` if the file of `guards.pins` cannot be read,
 * `MCP_ABORTED` if the signal fires; the first server's error if `startup.failures` is `throw`.
 */
export async function openMcp(options: OpenMcpOptions = {}): Promise<Mcp> {
  checkOpenOptions(options);
  const { id } = options;
  return id === undefined ? openRuntime(options) : runtimeOf(id, options, openRuntime);
}

async function openRuntime(options: OpenMcpOptions): Promise<Mcp> {
  let manager: McpManager | undefined;
  const services = await openServices(options, async (server) => manager?.refreshTools(server));
  const { credentials, release } = services;
  const { signal, limits: { closeTimeoutMs } = {} } = options;
  try {
    const ports = createPorts(options, services);
    manager = createManager(options, services, ports);
    const diagnosticFeed = createDiagnosticFeed(manager.announce.bind(manager));
    const configuration = followConfiguration(manager, { options, services, ports, diagnosticFeed });
    const started = await manager.start({ signal });
    const webLogins = createWebLogins(options.auth, ports.resolve, services.signal);
    const opening = { configuration, started, diagnosticFeed, credentials, webLogins, closeTimeoutMs };
    return createMcp(manager, opening, release);
  } catch (error) {
    await release(beginClosing(closeTimeoutMs));
    throw error;
  }
}

/** The ports by which servers are reached. */
interface ServerPorts {
  readonly resolve: ResolveServer;
  readonly connect: Connector;
}

function createPorts(options: OpenMcpOptions, services: RuntimeServices): ServerPorts {
  const { logins, telemetry } = services;
  const { http, connect: given } = options;
  const untraced = typeof given === "function" ? given : createLateConnector({ ...given, http });
  const connect = withDeadlineAdvice(telemetry ? telemetry.follow(untraced) : untraced, process.env);
  if (http !== undefined) options.auth?.useNetwork?.(http);
  const resolve = createResolver(options, services);
  // Stored logins follow which servers are resolved.
  return { connect, resolve: logins === undefined ? resolve : logins.follow(resolve) };
}

/** Fills in the values of servers. The credentials among them become known. */
export function createResolver(
  { resolve, inheritEnv, cwd, approval = {} }: OpenMcpOptions,
  {
    search,
    credentials,
    log,
  }: Pick<RuntimeServices, "credentials" | "log"> & {
    readonly search: Pick<ServerAdmission, "isAdmitted">;
  },
): ResolveServer {
  if (typeof resolve === "function") return credentials.recording(asCustom(resolve));
  const own = {
    ...resolve,
    log,
    inheritEnv,
    projectVariables: approval.projectVariables,
    cwd,
    trust: approval.folders,
    launchFolder: ownStateDirectory("launch"),
    isAdmitted: (definition: ServerDefinition) => search.isAdmitted(approvedEntry(definition)),
  };
  return credentials.recording(createServerResolver(own));
}

/**
 * A custom resolver need not know of limits, and may give other values each time. Both are added here because later steps identify a server
 * by object identity.
 */
function asCustom(resolve: ResolveServer): ResolveServer {
  return async (definition, options) => {
    const server = await resolve(definition, options);
    const { limits = server.limits } = definition;
    return { renewable: true, ...server, limits };
  };
}

function createManager(
  options: OpenMcpOptions,
  { guards, opened, catalog, logins, credentials, log }: RuntimeServices,
  ports: ServerPorts,
): McpManager {
  const { retry, limits, naming, search, handlers, principal } = options;
  const { use, toolPolicies, statusChanged } = guards;
  const manager = createMcpManager({
    ...{ startup: startupOf(options), retry, limits, naming, search, handlers, principal },
    ...ports,
    use,
    toolPolicies,
    servers: configuredServers(opened.merged),
    auth: options.auth ?? logins?.auth,
    credentials,
    log,
    cache: catalog.cache,
  });
  if (statusChanged !== undefined) manager.on("statusChanged", statusChanged);
  return manager;
}

/** While `next build` evaluates the modules of a program, only what is used is started. */
function startupOf({ startup }: OpenMcpOptions): OpenMcpOptions["startup"] {
  return process.env.NEXT_PHASE === "phase-production-build" ? { ...startup, lazy: true } : startup;
}

interface Following {
  readonly options: OpenMcpOptions;
  readonly services: RuntimeServices;
  readonly ports: ServerPorts;
  readonly diagnosticFeed: DiagnosticFeed;
}

/** Follows the configuration: asks for approval in the background, and starts what was approved. */
function followConfiguration(
  manager: McpManager,
  { options, services, ports, diagnosticFeed }: Following,
): Configuration {
  const { search, opened, log, signal } = services;
  const { read, merge } = search;
  const findExaKeys = createExaKeyFinder(options, ports.resolve, log, signal);
  const logFaults = createFaultLog(log);
  const applied = (merged: AdvisedServers) => {
    logFaults(merged);
    diagnosticFeed.replace(allDiagnostics(merged));
    findExaKeys(merged);
    search.ask(merged, startApproved);
  };
  const configuration = createConfiguration(opened, { read, merge, applied, refused: logFaults });
  function startApproved(): void {
    configuration.reconsider(manager).catch((error: unknown) => {
      if (!signal.aborted)
        log("warn", "An approved server could not be started.", { error: thrownText(error) });
    });
  }
  applied(opened.merged);
  return configuration;
}

/** Passes the API key of each Exa server to `filters.exaApiKey`, each key once. A server that cannot be resolved is logged and skipped. */
function createExaKeyFinder(
  { filters }: OpenMcpOptions,
  resolve: ResolveServer,
  log: Logger,
  signal: AbortSignal,
): (merged: DiscoveredServers) => void {
  const reported = new Set<string>();
  const onKey = filters?.exaApiKey;
  const find = async (definition: ServerDefinition) => {
    const key = exaApiKey(await resolve(definition, { signal }));
    if (key === undefined || reported.has(key)) return;
    reported.add(key);
    try {
      await onKey?.(key, definition.name);
    } catch (error) {
      log("warn", `The function "filters.exaApiKey" failed.`, {
        server: definition.name,
        error: thrownText(error),
      });
    }
  };
  return ({ servers, blocked }) => {
    if (onKey === undefined) return;
    const filtered = blocked.filter(({ by }) => by === "exa").map(({ definition }) => definition);
    for (const definition of [...servers, ...filtered].filter(isExaServer)) {
      find(definition).catch((error: unknown) => {
        if (!signal.aborted)
          log("warn", "No Exa API key was found.", { server: definition.name, error: thrownText(error) });
      });
    }
  };
}
