import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "./builtin-modules.ts";
import { isBusy } from "./sqlite-error.ts";
import { loadSqlite } from "./sqlite-module.ts";

const { closeSync, constants, openSync } = fileSystem;

const LOCK_FILE = "repair.lock";

/** Truncates the file, because SQLite cannot lock what is not a database. Windows has no flag to refuse links. */
const EMPTY = constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

/**
 * Runs a repair of a file while no other process repairs in the same directory. The lock is that of an empty SQLite database,
 * because the system releases it when a process dies.
 *
 * @param blockingTimeoutMs - how long to wait for another process that holds the lock, in milliseconds; it blocks this process
 * @throws McpError `MCP_LIMIT_EXCEEDED`, for which `isBusy` holds, if the lock is held for longer.
 */
export function withRepairLock<T>(file: string, repair: () => T, blockingTimeoutMs: number): T {
  const { DatabaseSync } = loadSqlite();
  const lockFile = join(dirname(file), LOCK_FILE);
  closeSync(openSync(lockFile, EMPTY, 0o600));
  const lock: DatabaseSync = new DatabaseSync(lockFile, { timeout: blockingTimeoutMs });
  try {
    take(lock, lockFile);
    return repair();
  } finally {
    lock.close();
  }
}

function take(lock: DatabaseSync, lockFile: string): void {
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    if (!isBusy(cause)) throw cause;
    const message = `${lockFile} is locked by another process that repairs the catalog; check whether it hangs.`;
    throw new McpError("MCP_LIMIT_EXCEEDED", message, { cause });
  }
}
