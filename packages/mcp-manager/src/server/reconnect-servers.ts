import type { ReconnectOptions } from "../mcp-manager.ts";
import { checkRecord } from "../option-kinds.ts";
import { checkChoice } from "../options.ts";
import type { ManagedServer } from "./managed-server.ts";
import { operationDeadline } from "./operation-deadline.ts";

/**
 * Connects servers anew, all at the same time, each within a deadline of its own.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for what are no options, or a choice that there is not; the cause of the first that failed, in their order, once all have settled.
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
