import { homedir, userInfo } from "node:os";
import { posix, win32 } from "node:path";
import {
  checkOptions,
  type Logger,
  McpError,
  type OptionKind,
  optionKinds,
  optionNumber,
  silentLogger,
} from "@jackfield/mcp-core";
import { cryptography, PrivateFolder } from "@jackfield/mcp-core/node";
import { CatalogToolCache, type PersistentToolCache } from "./catalog-tool-cache.ts";
import { FaultLog } from "./fault-log.ts";
import { readIdentityKey } from "./identity-key.ts";
import { SqliteCatalogStore } from "./sqlite-catalog-store.ts";

/** Options of `sqliteToolCache`. */
export interface SqliteToolCacheOptions {
  /** The directory, created if missing. Default: `defaultCacheDirectory` of this process. */
  readonly path?: string | undefined;
  /** Receives each kind of fault once, and again after the store has worked. Default: not logged. */
  readonly log?: Logger | undefined;
  /** How long writing and `list` wait for another process, in milliseconds; `getMany` waits only briefly. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** The largest size of the catalog, in bytes. Beyond it, the entries that expire soonest are removed. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

const DEFAULT_BUSY_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const OPTIONS: Record<keyof SqliteToolCacheOptions, OptionKind> = {
  path: optionKinds.name,
  log: optionKinds.callable,
  busyTimeoutMs: optionNumber(0),
  maxBytes: optionNumber(0),
};

/**
 * A catalog in a directory of this user, kept in SQLite and shared by every process that names the same directory.
 *
 * Nothing is opened, created or imported before the first use. If nothing can be stored (no right to write, a full disk, a
 * directory of another user), the catalog works in memory and one warning says why. `close()` releases the files.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist or cannot be used. The catalog itself never throws.
 */
export function sqliteToolCache(options: SqliteToolCacheOptions = {}): PersistentToolCache {
  checkOptions(options, OPTIONS);
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = options;
  const faults = new FaultLog(options.log ?? silentLogger);
  return new CatalogToolCache({
    async open() {
      // Others may read an existing folder: the files in it are private.
      const folder = new PrivateFolder(options.path ?? directoryOfThisProcess(), { readableByOthers: true });
      folder.prepare();
      const key = cryptography().createSecretKey(readIdentityKey(folder, faults.log));
      return { key, store: new SqliteCatalogStore(folder, { busyTimeoutMs, maxBytes, faults }) };
    },
    faults,
    program: process.argv[1] ?? process.execPath,
  });
}

function directoryOfThisProcess(): string {
  return defaultCacheDirectory({ platform: process.platform, env: process.env });
}

/** What the default directory depends on. */
export interface CacheSurroundings {
  readonly platform: NodeJS.Platform;
  readonly env: { readonly [name: string]: string | undefined };
  /**
   * The user's home directory. Default: `os.homedir()`. If it is not an absolute path, for example because `HOME` is empty, the
   * home directory in the system's user database is used.
   */
  readonly home?: string | undefined;
}

/**
 * The directory of the catalog unless one is named: `$JACKFIELD_HOME/cache`, else the platform's place for a user's caches, which
 * is `%LOCALAPPDATA%\jackfield\Cache` on Windows and `$XDG_CACHE_HOME/jackfield` elsewhere, with `~/Library/Caches/jackfield`
 * (macOS) or `~/.cache/jackfield` if that variable is unset. A relative `JACKFIELD_HOME` is ignored, and so is a relative
 * `XDG_CACHE_HOME`, as the XDG Base Directory Specification demands.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if it depends on the home directory and neither the environment nor the system knows one
 */
export function defaultCacheDirectory({ platform, env, home }: CacheSurroundings): string {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  // A relative path would put the catalog and its key into whatever project is open.
  if (env.JACKFIELD_HOME && isAbsolute(env.JACKFIELD_HOME)) return join(env.JACKFIELD_HOME, "cache");
  const inHome = (...names: readonly string[]) => join(knownHome(home, isAbsolute), ...names);
  if (platform === "win32") return join(env.LOCALAPPDATA || inHome("AppData", "Local"), "jackfield", "Cache");
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, "jackfield");
  return platform === "darwin" ? inHome("Library", "Caches", "jackfield") : inHome(".cache", "jackfield");
}

/** In many containers neither the environment nor the system's user database knows the user's home directory. */
function knownHome(named: string | undefined, isAbsolute: (path: string) => boolean): string {
  try {
    const home = named ?? homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch (cause) {
    const message = "This user's home directory is unknown; set JACKFIELD_HOME to a folder.";
    throw new McpError("MCP_STORAGE_FAILED", message, { phase: "config", cause });
  }
}
