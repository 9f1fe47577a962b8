import type { CatalogStore } from "./catalog-store.ts";

/** A store in memory. It depends on nothing that could be unavailable: no file, no other module. */
export function createMemoryCatalogStore(): CatalogStore {
  const texts = new Map<string, string>();
  return {
    async read(ids, take) {
      for (const id of ids) {
        const text = texts.get(id);
        if (text !== undefined) take(id, text);
      }
    },
    async write(id, text) {
      texts.set(id, text);
      return true;
    },
    async remove(id) {
      texts.delete(id);
    },
    async *all() {
      yield* [...texts];
    },
    async close() {},
  };
}
