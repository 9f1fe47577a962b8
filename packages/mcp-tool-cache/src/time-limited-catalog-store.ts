import type { CatalogStore } from "./catalog-store.ts";

/**
 * Wraps a store so that each operation fails if it is not answered in time. The client of an unreachable server may wait for ever;
 * a start-up must not.
 */
export function timeLimitedCatalogStore(store: CatalogStore, timeoutMs: number): CatalogStore {
  const limited = <T>(answer: Promise<T>): Promise<T> => within(answer, timeoutMs);
  return {
    read: (ids, take, options) => limited(store.read(ids, take, options)),
    write: (id, text, expiresAt) => limited(store.write(id, text, expiresAt)),
    remove: (id) => limited(store.remove(id)),
    async *all() {
      const rows = store.all()[Symbol.asyncIterator]();
      for (;;) {
        const row = await limited(rows.next());
        if (row.done) return;
        yield row.value;
      }
    },
    close: () => limited(store.close()),
  };
}

async function within<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`The store did not answer within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
