import { type Logger, silentLogger } from "@jackfield/mcp-core";
import { cryptography, PrivateFolder } from "@jackfield/mcp-core/node";
import { defaultCacheDirectory } from "./cache-directory.ts";
import { createCatalogToolCache, type PersistentToolCache } from "./catalog-tool-cache.ts";
import { createFaultLog } from "./fault-log.ts";
import { readIdentityKey } from "./identity-key.ts";
import { openSqliteCatalogStore } from "./sqlite-catalog-store.ts";

/** Options of `sqliteToolCache`. */
export interface SqliteToolCacheOptions {
  /** The directory, created if missing. Default: `defaultCacheDirectory` of this process. */
  readonly path?: string | undefined;
  /** Receives each kind of fault once. Default: not logged. */
  readonly log?: Logger | undefined;
  /** How long writing and `list` wait for another process, in milliseconds; `getMany` waits only briefly. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** The largest size of the catalog, in bytes. Beyond it, the entries that expire soonest are removed. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

const DEFAULT_BUSY_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/**
 * A catalog in a directory of this user, kept in SQLite and shared by every process that names the same directory.
 *
 * Nothing is opened, created or imported before the first use. If nothing can be stored (no right to write, a full disk, a
 * directory of another user), the catalog works in memory and one warning says why. `close()` releases the files.
 */
export function sqliteToolCache(options: SqliteToolCacheOptions = {}): PersistentToolCache {
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = options;
  const log = createFaultLog(options.log ?? silentLogger);
  return createCatalogToolCache({
    async open() {
      // Others may read an existing folder: the files in it are private.
      const folder = new PrivateFolder(options.path ?? directoryOfThisProcess(), { readableByOthers: true });
      folder.prepare();
      const key = cryptography().createSecretKey(readIdentityKey(folder, log));
      return { key, store: openSqliteCatalogStore(folder, { busyTimeoutMs, maxBytes, log }) };
    },
    log,
    program: process.argv[1] ?? process.execPath,
  });
}

function directoryOfThisProcess(): string {
  return defaultCacheDirectory({ platform: process.platform, env: process.env });
}
