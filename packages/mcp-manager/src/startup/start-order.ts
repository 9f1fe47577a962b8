export interface Startable {
  wake(): void;
  readonly settled: Promise<void>;
}

/** Wakes servers in order, `concurrency` at a time: the next one starts when one has settled. Resolves when all have. */
export async function startInOrder(
  servers: readonly Startable[],
  concurrency: number,
  signal: AbortSignal,
): Promise<void> {
  const queue = servers.values();
  const lane = async () => {
    for (const server of queue) {
      if (signal.aborted) return;
      server.wake();
      await server.settled;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, servers.length) }, lane));
}
