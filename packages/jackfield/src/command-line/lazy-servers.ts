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

export interface StartOptions {
  /** Whether a server is started. Default: every one is. */
  readonly isWanted?: ((server: ServerSnapshot) => boolean) | undefined;
  /** Ends the waiting early; asked whenever a server has listed its tools. */
  readonly isEnough?: (() => boolean) | undefined;
  /** For each server. Default: its own limit. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Starts lazy servers, which otherwise wait for their first call, and has them list their tools.
 *
 * @returns those that did not start, each with its error
 * @throws McpError `MCP_ABORTED`
 */
export async function startLazyServers(
  mcp: Pick<Mcp, "servers" | "reconnect" | "refreshTools">,
  signal: AbortSignal,
  { isWanted = () => true, isEnough = () => false, timeoutMs }: StartOptions = {},
): Promise<readonly FailedStart[]> {
  const enough = Promise.withResolvers<void>();
  const failed: FailedStart[] = [];
  const start = async ({ name }: ServerSnapshot): Promise<void> => {
    try {
      await mcp.reconnect(name, { signal, timeoutMs });
      await mcp.refreshTools(name, { signal, timeoutMs });
      if (isEnough()) enough.resolve();
    } catch (error) {
      if (isMcpError(error)) failed.push({ name, error });
    }
  };
  const wanted = mcp.servers().filter((server) => isWaitingForCall(server) && isWanted(server));
  await Promise.race([enough.promise, Promise.all(wanted.map(start))]);
  if (signal.aborted) throw new McpError("MCP_ABORTED", "The check of the servers was aborted.");
  return failed;
}
