import {
  createDeadline,
  DEFAULT_LIMITS,
  isSameJson,
  McpError,
  type ResolvedServer,
  type ResolveOptions,
  type ResolveServer,
  raceSignal,
  type ServerDefinition,
} from "@jackfield/mcp-core";

/**
 * Fills in a definition's variables within the server's `connectTimeoutMs`. The result has the definition's limits, which are final,
 * whatever the resolver returns. A resolver that hangs and ignores the signal blocks neither the server nor a close; it leaves nothing
 * to clean up.
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
    aborted: () => new McpError("MCP_ABORTED", `Connecting to server "${name}" was aborted.`, details),
    expired: () =>
      new McpError(
        "MCP_CONNECT_TIMEOUT",
        `The variables of server "${name}" were not filled in within ${timeoutMs} ms; raise connectTimeoutMs or check where they come from.`,
        details,
      ),
  });
  const resolving = resolve(definition, { signal: deadline.signal, principal });
  const server = await raceSignal(resolving, deadline.signal);
  // With equal limits the object stays the same: the resolver may know it by identity.
  return isSameJson(server.limits, limits) ? server : { ...server, limits };
}
