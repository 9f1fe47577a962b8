import { thrownText } from "@jackfield/mcp-core";
import { createMcpManager, type McpManager } from "@jackfield/mcp-manager";
import type { AdvisedServers } from "./blocked-servers.ts";
import { beginClosing } from "./closing-work.ts";
import { type Configuration, createConfiguration } from "./configuration.ts";
import { allDiagnostics } from "./configuration-report.ts";
import { createDiagnosticFeed, type DiagnosticFeed } from "./diagnostic-feed.ts";
import { createExaKeyFinder } from "./exa-keys.ts";
import { createMcp, type Mcp } from "./mcp.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { checkOptions } from "./option-shapes.ts";
import { openServices, type RuntimeServices } from "./runtime-services.ts";
import { createServerPorts, type ServerPorts } from "./server-ports.ts";
import { createLateConnector } from "./transports.ts";

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
  let manager: McpManager | undefined;
  const services = await openServices(options, async (server) => manager?.refreshTools(server));
  const { secrecy, release } = services;
  const { signal, closeTimeoutMs } = options;
  try {
    const ports = createPorts(options, services);
    manager = createManager(options, services, ports);
    const diagnosticFeed = createDiagnosticFeed(secrecy.log);
    const configuration = followConfiguration(manager, { options, services, ports, diagnosticFeed });
    const started = await manager.start({ signal });
    const opening = { configuration, started, diagnosticFeed, secrecy, closeTimeoutMs };
    return createMcp(manager, opening, release);
  } catch (error) {
    await release(beginClosing(closeTimeoutMs));
    throw error;
  }
}

/** The ports by which servers are reached. Stored logins follow which servers are resolved. */
function createPorts(options: OpenMcpOptions, { search, secrecy, logins }: RuntimeServices): ServerPorts {
  const { clientInfo, http, connect = createLateConnector({ clientInfo, http }) } = options;
  const ports = createServerPorts(options, connect, search, secrecy);
  return logins === undefined ? ports : { ...ports, resolve: logins.follow(ports.resolve) };
}

/** The manager ignores the options that are not its own, and those that mean something else here are replaced. */
function createManager(
  options: OpenMcpOptions,
  { guards, opened, catalog, logins, secrecy }: RuntimeServices,
  ports: ServerPorts,
): McpManager {
  const { use, toolPolicies, statusChanged } = guards;
  const manager = createMcpManager({
    ...options,
    ...ports,
    use,
    toolPolicies,
    servers: opened.merged.servers,
    auth: options.auth ?? logins?.auth,
    log: secrecy.log,
    cache: catalog.cache && secrecy.protectCatalog(catalog.cache),
  });
  if (statusChanged !== undefined) manager.on("statusChanged", statusChanged);
  return manager;
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
  const { search, opened, secrecy, signal } = services;
  const { log } = secrecy;
  const { read, merge } = search;
  const findExaKeys = createExaKeyFinder(options, ports.resolve, log, signal);
  const applied = (merged: AdvisedServers) => {
    diagnosticFeed.replace(allDiagnostics(merged));
    findExaKeys(merged);
    search.follow(merged, startApproved);
  };
  const configuration = createConfiguration(opened, { read, merge, applied });
  function startApproved(): void {
    configuration.reconsider(manager).catch((error: unknown) => {
      if (!signal.aborted)
        log("warn", "An approved server could not be started.", { error: thrownText(error) });
    });
  }
  applied(opened.merged);
  return configuration;
}
