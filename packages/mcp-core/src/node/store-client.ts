/** A connection to a database, as far as its errors need it. */
export interface StoreClient {
  on(event: "error", listener: (error: unknown) => void): unknown;
}

/** The connections that an adapter of Keyv shows: a client of node-redis or ioredis, or the pool of another database. */
export function storeClientsOf<T extends StoreClient>(store: object): readonly T[] {
  const { client, redis, pool } = store as { readonly [name in "client" | "redis" | "pool"]?: unknown };
  return [client, redis, pool].filter((shown): shown is T => {
    return typeof (shown as Partial<StoreClient> | null | undefined)?.on === "function";
  });
}
