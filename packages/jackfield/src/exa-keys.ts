import type { DiscoveredServers } from "@jackfield/mcp-config";
import { exaApiKey, isExaServer } from "@jackfield/mcp-config/runtime";
import { type Logger, type ResolveServer, type ServerDefinition, thrownText } from "@jackfield/mcp-core";
import type { OpenMcpOptions } from "./open-mcp-options.ts";

/** Passes the API key of each Exa server to `filters.exaApiKey`, each key once. A server that cannot be resolved is logged and skipped. */
export function createExaKeyFinder(
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
