import type { McpError } from "@jackfield/mcp-core";

/** A server that start-up waits for. */
export interface Settling {
  readonly settled: Promise<void>;
  readonly error: McpError | undefined;
}

/** Resolves with the error of the first server that settles by failing; if none does, when all have settled. */
export async function firstFailure(servers: readonly Settling[]): Promise<McpError | undefined> {
  const failed = Promise.withResolvers<McpError>();
  const allSettled = servers.map(async (server) => {
    await server.settled;
    if (server.error !== undefined) failed.resolve(server.error);
  });
  return await Promise.race([failed.promise, Promise.all(allSettled).then(() => undefined)]);
}
