import {
  DEFAULT_LIMITS,
  McpError,
  type ResolvedServer,
  type ResolveOptions,
  type ResolveServer,
  type ServerDefinition,
} from "@jackfield/mcp-core";
import { createDeadline, raceSignal } from "../deadline.ts";
import { isSameJson } from "../json-equality.ts";

/**
 * Fills in a definition's variables and gives the server the definition's limits, whatever the resolver says of them: they are final, and
 * a resolver need not know of any. All within the server's `connectTimeoutMs`. A resolver that hangs, and does not hear that it is given
 * up, holds neither the server nor a close; there is nothing to clean up after it.
 *
 * @throws McpError `MCP_CONNECT_TIMEOUT`, `MCP_ABORTED`, or whatever the resolver throws.
 */
export async function resolveInTime(
  resolve: ResolveServer,
  definition: ServerDefinition,
  { signal, principal }: ResolveOptions,
): Promise<ResolvedServer> {
  const { name, limits } = definition;
  const timeoutMs = limits?.connectTimeoutMs ?? DEFAULT_LIMITS.connectTimeoutMs;
  const details = { server: name, phase: "resolve" } as const;
  using deadline = createDeadline({
    signal,
    timeoutMs,
    aborted: () =>
      new McpError("MCP_ABORTED", `The attempt to connect server "${name}" was given up.`, details),
    expired: () =>
      new McpError(
        "MCP_CONNECT_TIMEOUT",
        `The variables of server "${name}" were not filled in within ${timeoutMs} ms; raise connectTimeoutMs or check where they come from.`,
        details,
      ),
  });
  const resolving = resolve(definition, { signal: deadline.signal, principal });
  const server = await raceSignal(resolving, deadline.signal);
  // What has them already stays the object that it is: whoever resolved it may know it by that.
  return isSameJson(server.limits, limits) ? server : { ...server, limits };
}
