import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { McpError, toMcpError } from "@jackfield/mcp-core";
import { openDatabase } from "./sqlite-module.ts";
import { isSystemError } from "./system-error.ts";

/** Creates the file only if it is missing: opening and closing a locked file would release this process's lock on it. */
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** The pause between two attempts is random, so that no waiter is always the last. */
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 25;

/** How long to wait for a lock. */
export interface LockPatience {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. Default: until the signal fires. */
  readonly longestWaitMs?: number | undefined;
  /** Whether to pause first and give other processes a chance, because this one has just had the lock. Default false. */
  readonly isPolite?: boolean | undefined;
}

/**
 * Runs work while no other process holds the lock. The lock is an open transaction on an empty SQLite database: the kernel releases it
 * whenever a process dies, so it is never stale. Waiters poll.
 *
 * @throws McpError `MCP_ABORTED` if the signal fires while it waits, `MCP_LIMIT_EXCEEDED` after the longest wait,
 * `MCP_STORAGE_FAILED` if the path cannot be used or is not a lock file
 */
export async function withFileLock<T>(
  path: string,
  work: () => T | Promise<T>,
  patience: LockPatience,
): Promise<T> {
  const { signal, longestWaitMs = Number.POSITIVE_INFINITY, isPolite = false } = patience;
  makeLockFile(path);
  const lock = openLock(path);
  try {
    // Not `Date.now`, because the clock may be set back meanwhile.
    const deadline = performance.now() + longestWaitMs;
    if (isPolite) await pauseBetween(path, signal);
    while (!tryToLock(path, lock)) {
      if (performance.now() > deadline) throw heldTooLong(path, longestWaitMs);
      await pauseBetween(path, signal);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function makeLockFile(path: string): void {
  try {
    closeSync(openSync(path, NEW_FILE, 0o600));
  } catch (error) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (isSystemError(error, "EEXIST") && found?.isFile() !== false) return;
    const advice = found ? "remove it" : "check whether its folder can be used";
    throw new McpError("MCP_STORAGE_FAILED", `${path} cannot be used as a lock; ${advice}.`, {
      cause: error,
    });
  }
}

/** SQLite accepts no path of more than 511 bytes, and its error does not say so. */
function openLock(path: string): DatabaseSync {
  try {
    return openDatabase(path);
  } catch (error) {
    const message = `No lock can be created in ${dirname(path)}; check that it is writable, or choose a folder with a shorter path.`;
    throw toMcpError(error, "MCP_STORAGE_FAILED", message);
  }
}

function tryToLock(path: string, lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (cause) {
    if (isBusy(cause)) return false;
    throw new McpError("MCP_STORAGE_FAILED", `${path} cannot be used as a lock; remove it.`, { cause });
  }
}

/** Whether this is SQLITE_BUSY; the upper bits of an extended code are ignored. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}

async function pauseBetween(path: string, signal: AbortSignal | undefined): Promise<void> {
  const delayMs = SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
  try {
    await pause(delayMs, undefined, { signal });
  } catch (cause) {
    const message = `Another process is using ${path}; the wait for it was aborted.`;
    throw new McpError("MCP_ABORTED", message, { cause });
  }
}

function heldTooLong(path: string, waitedMs: number): McpError {
  const message = `Another process has held ${path} for more than ${waitedMs} ms; check whether it hangs.`;
  return new McpError("MCP_LIMIT_EXCEEDED", message);
}
