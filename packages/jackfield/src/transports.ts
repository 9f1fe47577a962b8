import { resolve } from "node:path";
import type { Connector, HostHandlers } from "@jackfield/mcp-core";
import type { ConnectorOptions } from "@jackfield/mcp-transports";

/**
 * The default connector. Its code is loaded with the first connection, and not before the current turn of the event loop is over: a start
 * that finds every tool in the catalog returns first.
 */
export function createLateConnector(options: ConnectorOptions): Connector {
  let loading: Promise<Connector> | undefined;
  const load = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const { createConnector } = await loadTransports();
    return createConnector(options);
  };
  return async (server, connectOptions) => {
    // A failed load is tried again by the next attempt.
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const connect = await loading;
    return connect(server, connectOptions);
  };
}

/** Finds servers that an earlier host has left running; see `findOrphans` of `@jackfield/mcp-transports`. */
export async function findOrphans(servers: Parameters<FindOrphans>[0]): Promise<ReturnType<FindOrphans>> {
  const transports = await loadTransports();
  return transports.findOrphans(servers);
}

type FindOrphans = Awaited<ReturnType<typeof loadTransports>>["findOrphans"];

/**
 * A `roots` handler for folders or files that do not change while the program runs. Relative paths are resolved once, now, so a later
 * change of the working directory does not affect them.
 */
export function fixedRoots(paths: readonly string[]): NonNullable<HostHandlers["roots"]> {
  const absolute = paths.map((path) => resolve(path));
  return async (context) => {
    const transports = await loadTransports();
    return transports.fixedRoots(absolute)(context);
  };
}

function loadTransports() {
  return import("@jackfield/mcp-transports");
}
