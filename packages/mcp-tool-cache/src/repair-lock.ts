import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fileSystem } from "./builtin-modules.ts";
import { loadSqlite } from "./sqlite-module.ts";

const { closeSync, constants, openSync } = fileSystem;

const LOCK_FILE = "repair.lock";
const LONGEST_WAIT_MS = 5_000;

/** Empties whatever stands there: what is no database cannot be locked. Windows cannot be asked to refuse a link. */
const EMPTY = constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

/**
 * Runs a repair of a file while no other process repairs in the same directory. The lock is that of an empty SQLite
 * database, because the system gives it back when a process dies.
 *
 * @throws SQLite's error if another process holds the lock for longer than is waited.
 */
export function withRepairLock<T>(file: string, repair: () => T, longestWaitMs = LONGEST_WAIT_MS): T {
  const { DatabaseSync } = loadSqlite();
  const lockFile = join(dirname(file), LOCK_FILE);
  closeSync(openSync(lockFile, EMPTY, 0o600));
  const lock: DatabaseSync = new DatabaseSync(lockFile, { timeout: longestWaitMs });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return repair();
  } finally {
    lock.close();
  }
}
