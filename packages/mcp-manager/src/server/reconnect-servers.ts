import type { ReconnectOptions } from "../mcp-manager.ts";
import { checkRecord } from "../option-kinds.ts";
import { checkChoice } from "../options.ts";
import type { ManagedServer } from "./managed-server.ts";
import { operationDeadline } from "./operation-deadline.ts";

/**
 * Reconnects servers in parallel, each within its own deadline.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for invalid options; the error of the first server, in order, that failed, once all have
 * settled.
 */
export async function reconnectServers(
  servers: readonly ManagedServer[],
  options: ReconnectOptions,
): Promise<void> {
  checkRecord("reconnect", options);
  const { only = "all" } = options;
  checkChoice("reconnect", "only", only, ["all", "failed"]);
  const wanted = only === "failed" ? servers.filter(({ error }) => error !== undefined) : servers;
  const reconnected = wanted.map(async (server) => {
    using deadline = operationDeadline(server, "reconnect", options);
    await server.reconnect(deadline);
  });
  const failed = (await Promise.allSettled(reconnected)).find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
