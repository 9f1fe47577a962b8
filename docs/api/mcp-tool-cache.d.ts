import { KeyvStorageAdapter } from "keyv";
import { ToolCache, Logger } from "@jackfield/mcp-core";
interface PostgresClient {
    connect(): Promise<unknown>;
    query(text: string, values?: readonly unknown[]): Promise<unknown>;
    on(event: "notification", listener: (message: {
        readonly payload?: string | undefined;
    }) => void): unknown;
    on(event: "error", listener: (error: unknown) => void): unknown;
    on(event: "end", listener: () => void): unknown;
    end(): Promise<unknown>;
}
type KeyvStore = KeyvStorageAdapter | Map<string, unknown> | KeyvLegacyStore;
interface KeyvLegacyStore {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown, ttl?: number): Promise<unknown>;
    delete(key: string): Promise<boolean>;
    clear(): Promise<void>;
}
type PersistentToolCache = ToolCache & AsyncDisposable;
interface KeyvToolCacheOptions {
    readonly key?: Uint8Array | undefined;
    readonly namespace?: string | undefined;
    readonly timeoutMs?: number | undefined;
    readonly postgresClient?: (() => PostgresClient) | undefined;
    readonly log?: Logger | undefined;
}
declare function keyvToolCache(store: KeyvStore, options?: KeyvToolCacheOptions): PersistentToolCache;
interface SqliteToolCacheOptions {
    readonly path?: string | undefined;
    readonly log?: Logger | undefined;
    readonly busyTimeoutMs?: number | undefined;
    readonly maxBytes?: number | undefined;
}
declare function sqliteToolCache(options?: SqliteToolCacheOptions): PersistentToolCache;
interface CacheSurroundings {
    readonly platform: NodeJS.Platform;
    readonly env: {
        readonly [name: string]: string | undefined;
    };
    readonly home?: string | undefined;
}
declare function defaultCacheDirectory({ platform, env, home }: CacheSurroundings): string;
export { defaultCacheDirectory, keyvToolCache, sqliteToolCache };
export type { CacheSurroundings, KeyvLegacyStore, KeyvStore, KeyvToolCacheOptions, PersistentToolCache, PostgresClient, SqliteToolCacheOptions };
