import { isMcpError, McpError, type ServerSnapshot } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";

/** Whether a server waits for its first call. */
export function isWaitingForCall({ status, error }: ServerSnapshot): boolean {
  return status === "idle" && error === undefined;
}

/** A server that could not be started. */
export interface FailedStart {
  readonly name: string;
  readonly error: McpError;
}

/**
 * Starts lazy servers, which otherwise wait for their first call, and has them list their tools.
 *
 * @param isWanted - default: every one is
 * @returns those that did not start, each with its error
 * @throws McpError `MCP_ABORTED`
 */
export async function startLazyServers(
  mcp: Pick<Mcp, "servers" | "reconnect" | "refreshTools">,
  signal: AbortSignal,
  isWanted: (server: ServerSnapshot) => boolean = () => true,
): Promise<readonly FailedStart[]> {
  const start = async ({ name }: ServerSnapshot): Promise<readonly FailedStart[]> => {
    try {
      await mcp.reconnect(name, { signal });
      await mcp.refreshTools(name, { signal });
      return [];
    } catch (error) {
      return isMcpError(error) ? [{ name, error }] : [];
    }
  };
  const wanted = mcp.servers().filter((server) => isWaitingForCall(server) && isWanted(server));
  const failed = await Promise.all(wanted.map(start));
  if (signal.aborted) throw new McpError("MCP_ABORTED", "The check of the servers was aborted.");
  return failed.flat();
}
