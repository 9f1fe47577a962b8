import {
  checkOptions,
  type Logger,
  McpError,
  type OptionKind,
  optionKinds,
  optionNumber,
  silentLogger,
} from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import { type KeyvStore, openKeyvCatalogStore } from "./catalog-store.ts";
import { CatalogToolCache, type PersistentToolCache } from "./catalog-tool-cache.ts";
import { FaultLog } from "./fault-log.ts";
import { KEY_BYTES, temporaryIdentityKey } from "./identity-key.ts";
import type { PostgresClient } from "./store-client.ts";

/** Options of `keyvToolCache`. */
export interface KeyvToolCacheOptions {
  /**
   * At least 32 secret bytes. Processes that share the catalog need the same key: without it, nobody can find a server's
   * entry or write one that is accepted. Entries are signed, not encrypted. Default: a new key, so nothing outlives this cache.
   */
  readonly key?: Uint8Array | undefined;
  /** Keeps this catalog apart from what else the store holds. Default `jackfield-catalog`. */
  readonly namespace?: string | undefined;
  /** How long the store may take to answer, in milliseconds; after that it is a miss. Default 500. */
  readonly timeoutMs?: number | undefined;
  /**
   * Makes a client of `pg` for the same database, not connected yet: with it a change is told to all machines at once, by NOTIFY. Redis and
   * Valkey need nothing for that. Default: the machines of a fleet on Postgres read the catalog again every ten seconds.
   */
  readonly postgresClient?: (() => PostgresClient) | undefined;
  /** Receives each outage of the store once, and its end. Default: not logged. */
  readonly log?: Logger | undefined;
}

const DEFAULT_NAMESPACE = "jackfield-catalog";
const DEFAULT_TIMEOUT_MS = 500;
const OPTIONS: Record<keyof KeyvToolCacheOptions, OptionKind> = {
  key: { what: "bytes", fits: (value) => value instanceof Uint8Array },
  namespace: optionKinds.name,
  timeoutMs: optionNumber(0),
  postgresClient: optionKinds.callable,
  log: optionKinds.callable,
};

/**
 * A catalog in any store of Keyv: Redis, Valkey, a `Map`. The store belongs to the catalog from now on: it is
 * used for nothing else (Keyv writes the namespace into it), and `close()` disconnects it.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist or cannot be used, such as a key that is too short. The catalog itself never throws.
 */
export function keyvToolCache(store: KeyvStore, options: KeyvToolCacheOptions = {}): PersistentToolCache {
  checkOptions(options, OPTIONS);
  const { key = temporaryIdentityKey() } = options;
  const faults = new FaultLog(options.log ?? silentLogger);
  const { namespace = DEFAULT_NAMESPACE, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (key.length < KEY_BYTES) {
    throw new McpError("MCP_CONFIG_INVALID", `The key of a tool cache needs at least ${KEY_BYTES} bytes.`);
  }
  return new CatalogToolCache({
    // Two caches in one process are as far apart as two machines: their clocks may differ.
    writer: cryptography().randomUUID(),
    open: async () => {
      const opened = await openKeyvCatalogStore(store, {
        namespace,
        timeoutMs,
        postgresClient: options.postgresClient,
        onError: (error) => faults.failed("The tool catalog's store failed.", error),
        onAnswer: () => faults.worked(),
      });
      return { key: cryptography().createSecretKey(key), store: opened };
    },
    faults,
    program: process.argv[1] ?? process.execPath,
  });
}
