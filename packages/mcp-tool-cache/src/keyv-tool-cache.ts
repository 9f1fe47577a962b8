import { type Logger, McpError, silentLogger } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import { failure, type KeyvStore, openCatalogStore } from "./catalog-store.ts";
import { createCatalogToolCache, type PersistentToolCache } from "./catalog-tool-cache.ts";
import { createFaultLog } from "./fault-log.ts";
import { KEY_BYTES, temporaryIdentityKey } from "./identity-key.ts";
import { timeLimitedCatalogStore } from "./time-limited-catalog-store.ts";

/** Options of `keyvToolCache`. */
export interface KeyvToolCacheOptions {
  /**
   * At least 32 secret bytes. Processes that share the catalog need the same key: without it, nobody can find a server's
   * entry or write one that is accepted. Entries are signed, not encrypted. Default: a new key, so nothing outlives this cache.
   */
  readonly key?: Uint8Array | undefined;
  /** Keeps this catalog apart from what else the store holds. Default `jackfield-catalog`. */
  readonly namespace?: string | undefined;
  /** How long the store may take to answer, in milliseconds; after that it is a miss. Default 1,000. */
  readonly timeoutMs?: number | undefined;
  /** Receives each kind of fault once. Default: not logged. */
  readonly log?: Logger | undefined;
}

const DEFAULT_NAMESPACE = "jackfield-catalog";
const DEFAULT_TIMEOUT_MS = 1_000;

/**
 * A catalog in any store of Keyv: Redis, Valkey, Postgres, a `Map`. The store belongs to the catalog from now on: it is
 * used for nothing else (Keyv writes the namespace into it), and `close()` disconnects it.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if the key is too short. The catalog itself never throws.
 */
export function keyvToolCache(store: KeyvStore, options: KeyvToolCacheOptions = {}): PersistentToolCache {
  const { key = temporaryIdentityKey() } = options;
  const log = createFaultLog(options.log ?? silentLogger);
  const { namespace = DEFAULT_NAMESPACE, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (key.length < KEY_BYTES) {
    throw new McpError("MCP_CONFIG_INVALID", `The key of a tool cache needs at least ${KEY_BYTES} bytes.`);
  }
  return createCatalogToolCache({
    open: async () => {
      const onError = (error: unknown) => log("warn", "The tool catalog's store failed.", failure(error));
      const opened = await openCatalogStore(store, { namespace, onError });
      return { key: cryptography().createSecretKey(key), store: timeLimitedCatalogStore(opened, timeoutMs) };
    },
    log,
    program: process.argv[1] ?? process.execPath,
  });
}
