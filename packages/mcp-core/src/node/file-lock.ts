import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { McpError, toMcpError } from "../index.ts";
import { fileSystem, hasErrorCode, loadSqlite, sqliteErrorCode } from "./builtin-modules.ts";

const { closeSync, lstatSync, openSync } = fileSystem;

const BUSY = 5;

/** The pause between two attempts is random, so that no waiter is always the last. */
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 25;

const DEFAULT_WAIT_MS = 10_000;

/** How `withFileLock` waits. */
export interface FileLockOptions {
  /** Ends the wait. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for another process, in milliseconds. Default 10,000. */
  readonly longestWaitMs?: number | undefined;
  /** Whether to pause first and give other processes a chance, because this one has just had the lock. Default false. */
  readonly isPolite?: boolean | undefined;
}

/**
 * Runs work while nobody else, in this process or another, holds the lock of that file. The system releases the lock of a process that
 * dies, so it is never stale. The lock file, in a folder that must exist, is created if it is missing and stays.
 *
 * @throws McpError `MCP_ABORTED` if the signal fires while it waits, `MCP_LIMIT_EXCEEDED` after the longest wait,
 * `MCP_STORAGE_FAILED` if the path cannot be used or is not a lock file; whatever the work throws.
 */
export async function withFileLock<T>(
  path: string,
  work: () => T | Promise<T>,
  { signal, longestWaitMs = DEFAULT_WAIT_MS, isPolite = false }: FileLockOptions = {},
): Promise<T> {
  const lock = openLock(path, 0);
  try {
    // Not `Date.now`, because the clock may be set back meanwhile.
    const deadline = performance.now() + longestWaitMs;
    if (isPolite) await pause(path, signal);
    while (!take(lock, path)) {
      if (performance.now() > deadline) throw heldTooLong(path, longestWaitMs);
      await pause(path, signal);
    }
    return await work();
  } finally {
    lock.close();
  }
}

/**
 * Takes the lock that `withFileLock` waits for, unless somebody else holds it.
 *
 * @param blockingTimeoutMs - how long to wait for it, in milliseconds; this blocks the whole process. Default 0.
 * @returns what releases the lock when it is disposed; `undefined` if somebody else holds it.
 * @throws McpError `MCP_STORAGE_FAILED` if the path cannot be used or is not a lock file.
 */
export function tryFileLock(path: string, blockingTimeoutMs = 0): Disposable | undefined {
  const lock = openLock(path, blockingTimeoutMs);
  let isTaken = false;
  try {
    isTaken = take(lock, path);
    return isTaken ? { [Symbol.dispose]: () => lock.close() } : undefined;
  } finally {
    if (!isTaken) lock.close();
  }
}

/** The lock is an open transaction on an empty SQLite database: the kernel releases it whenever a process dies. */
function openLock(path: string, timeout: number): DatabaseSync {
  makeLockFile(path);
  const { DatabaseSync } = loadSqlite();
  try {
    return new DatabaseSync(path, { timeout });
  } catch (error) {
    // SQLite accepts no path of more than 511 bytes, and its error does not say so.
    const message = `No lock can be created in ${dirname(path)}; check that it is writable, or choose a folder with a shorter path.`;
    throw toMcpError(error, "MCP_STORAGE_FAILED", message);
  }
}

/** Creates the file only if it is missing: opening and closing a locked file would release this process's lock on it. */
function makeLockFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (hasErrorCode(cause, "EEXIST") && found?.isFile() !== false) return;
    const advice = found ? "remove it" : "check whether its folder can be used";
    throw new McpError("MCP_STORAGE_FAILED", `${path} cannot be used as a lock; ${advice}.`, { cause });
  }
}

function take(lock: DatabaseSync, path: string): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (cause) {
    if (sqliteErrorCode(cause) === BUSY) return false;
    throw new McpError("MCP_STORAGE_FAILED", `${path} cannot be used as a lock; remove it.`, { cause });
  }
}

function pause(path: string, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const aborted = () => {
    const message = `Another process is using ${path}; the wait for it was aborted.`;
    reject(new McpError("MCP_ABORTED", message, { cause: signal?.reason }));
  };
  const delayMs = SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
  const timer = setTimeout(resolve, delayMs);
  if (signal?.aborted) aborted();
  signal?.addEventListener("abort", aborted, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", aborted);
  });
}

function heldTooLong(path: string, waitedMs: number): McpError {
  const message = `Another process has held ${path} for more than ${waitedMs} ms; check whether it hangs.`;
  return new McpError("MCP_LIMIT_EXCEEDED", message);
}
