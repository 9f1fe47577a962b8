import { createServerResolver, loadServers } from "@jackfield/mcp-config";
import { silentLogger, type ToolCache } from "@jackfield/mcp-core";
import { createMcpManager } from "@jackfield/mcp-manager";
import { sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { createConfiguration } from "./configuration.ts";
import { processRecordDirectory, reportLeftovers } from "./leftover-report.ts";
import { createMcp, type Mcp } from "./mcp.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { createLateConnector } from "./transports.ts";

/**
 * Reads the configuration, connects the servers and returns as soon as tools can be used: at once where the catalog knows
 * every server, else when those it does not know have come up or failed.
 *
 * One bad file, entry or server never makes it fail: `report` and `servers()` tell of them.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for options that cannot be right, `MCP_ABORTED` if the signal fires.
 */
export async function openMcp(options: OpenMcpOptions = {}): Promise<Mcp> {
  const {
    servers,
    configFiles,
    cwd,
    cache,
    inheritEnv,
    connect,
    resolve,
    clientInfo,
    signal,
    ...managerOptions
  } = options;
  const directory = processRecordDirectory();
  const log = options.log ?? silentLogger;
  const read = () => loadServers({ servers, files: configFiles, cwd });
  const [loaded, leftovers] = await Promise.all([
    read(),
    connect === undefined ? reportLeftovers(directory, log) : [],
  ]);
  const catalog = openCatalog(cache, options);
  try {
    const manager = createMcpManager({
      ...managerOptions,
      servers: loaded.servers,
      connect: connect ?? createLateConnector({ clientInfo, processRecord: { directory } }),
      resolve: resolve ?? createServerResolver({ inheritEnv }),
      cache: catalog.cache,
    });
    const started = await manager.start({ signal });
    return createMcp(
      manager,
      { configuration: createConfiguration(loaded, read), started, leftovers },
      catalog.release,
    );
  } catch (error) {
    await catalog.release();
    throw error;
  }
}

interface OpenedCatalog {
  readonly cache: ToolCache | undefined;
  /** Closes the catalog if it was opened here. */
  release(): Promise<void>;
}

function openCatalog(option: OpenMcpOptions["cache"], { log }: OpenMcpOptions): OpenedCatalog {
  if (option === false) return { cache: undefined, release: async () => {} };
  if (option !== undefined && "getMany" in option) return { cache: option, release: async () => {} };
  const { path, busyTimeoutMs } = option ?? {};
  const cache = sqliteToolCache({ path, busyTimeoutMs, logger: log });
  return { cache, release: () => cache.close() };
}
