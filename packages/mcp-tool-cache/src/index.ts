export type { KeyvLegacyStore, KeyvStore } from "./catalog-store.ts";
export type { PersistentToolCache } from "./catalog-tool-cache.ts";
export { type KeyvToolCacheOptions, keyvToolCache } from "./keyv-tool-cache.ts";
export {
  type CacheSurroundings,
  defaultCacheDirectory,
  type SqliteToolCacheOptions,
  sqliteToolCache,
} from "./sqlite-tool-cache.ts";
export type { PostgresClient } from "./store-client.ts";
