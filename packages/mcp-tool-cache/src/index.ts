export { type CacheSurroundings, defaultCacheDirectory } from "./cache-directory.ts";
export type { KeyvLegacyStore, KeyvStore } from "./catalog-store.ts";
export type { PersistentToolCache } from "./catalog-tool-cache.ts";
export { type KeyvToolCacheOptions, keyvToolCache } from "./keyv-tool-cache.ts";
export { type SqliteToolCacheOptions, sqliteToolCache } from "./sqlite-tool-cache.ts";
