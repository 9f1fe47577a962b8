import type { DatabaseSync } from "node:sqlite";
import { type Logger, McpError } from "@jackfield/mcp-core";
import { type InspectedFile, loadSqlite, type PrivateFolder, tryFileLock } from "@jackfield/mcp-core/node";
import { BLOCKING_TIMEOUT_MS, isDamage } from "./lock-queue.ts";

const CATALOG_FILE = "catalog.sqlite";

/** The files that SQLite keeps beside a database. It creates them with the database's mode. */
const COMPANIONS = ["-wal", "-shm"];

/** "JFLD": marks a database as ours (SQLite's `application_id`), so that another program's is not written into. */
const APPLICATION_ID = 0x4a464c44;

/** The size to which SQLite's write-ahead log is cut after a checkpoint, in bytes. */
const LOG_BYTES = 4 * 1024 * 1024;

const ATTEMPTS = 5;

export interface CatalogFileOptions {
  readonly log: Logger;
  /** How long SQLite waits for another process, in milliseconds. It blocks this process meanwhile. */
  readonly blockingTimeoutMs: number;
}

/** An open catalog, and what tells its file from another one. */
export interface CatalogFile {
  readonly database: DatabaseSync;
  readonly found: InspectedFile;
}

/**
 * Opens the catalog's database in WAL mode, for its owner alone, and creates it if it is missing. Anything there that is not a
 * usable catalog (garbage, a torn file, a link, a file that others may write) is deleted first: whatever the catalog holds can be
 * listed again. What another program keeps in its own database cannot.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if the file belongs to another user, is another program's database or a folder, or cannot be
 * made; SQLite's error if it is locked.
 */
export function openCatalogFile(folder: PrivateFolder, options: CatalogFileOptions): CatalogFile {
  const { blockingTimeoutMs } = options;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    let found = folder.inspect(CATALOG_FILE);
    if (found === undefined) {
      // An empty file, which SQLite takes for a new database, so that its mode is right from the beginning.
      folder.add(CATALOG_FILE, "");
      found = folder.inspect(CATALOG_FILE);
    }
    if (found === undefined) continue;
    for (const companion of COMPANIONS) {
      const beside = folder.inspect(CATALOG_FILE + companion);
      // SQLite would write through a link in its place.
      if (beside?.fault) removeUnusable(folder, CATALOG_FILE + companion, beside, { blockingTimeoutMs });
    }
    const path = folder.pathOf(CATALOG_FILE);
    const database = found.fault === undefined ? openOwnDatabase(path, options) : undefined;
    if (database !== undefined) return { database, found };
    removeCatalog(folder, found, options);
  }
  throw new McpError(
    "MCP_STORAGE_FAILED",
    `${folder.pathOf(CATALOG_FILE)} keeps being replaced; name another directory.`,
  );
}

/** Deletes a damaged catalog with its companion files, and logs a warning. Throws like `removeUnusable`. */
export function removeCatalog(
  folder: PrivateFolder,
  found: InspectedFile,
  { log, blockingTimeoutMs }: CatalogFileOptions,
): void {
  if (!removeUnusable(folder, CATALOG_FILE, found, { companions: COMPANIONS, blockingTimeoutMs })) return;
  const file = folder.pathOf(CATALOG_FILE);
  log("warn", "The tool catalog was unusable; it was deleted and starts empty.", { file });
}

/** The open database, or `undefined` if the file is damaged. */
function openOwnDatabase(file: string, { blockingTimeoutMs }: CatalogFileOptions): DatabaseSync | undefined {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file, { timeout: blockingTimeoutMs });
  let usable = false;
  try {
    if (!claim(database))
      throw new McpError(
        "MCP_STORAGE_FAILED",
        `${file} is the database of another program; name another directory.`,
      );
    // A process that is killed loses nothing with NORMAL; a power cut may lose the last entries, never the file.
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${LOG_BYTES}`,
    );
    usable = true;
    return database;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  } finally {
    if (!usable) database.close();
  }
}

/** Whether the database is ours. An empty one becomes ours, within a transaction: two processes may try at once. */
function claim(database: DatabaseSync): boolean {
  if (applicationId(database) === APPLICATION_ID) return true;
  // Takes effect in a new database only; it lets freed pages be returned to the file system.
  database.exec("PRAGMA auto_vacuum = INCREMENTAL; BEGIN IMMEDIATE");
  const unclaimed = applicationId(database) === 0 && isEmpty(database);
  if (unclaimed) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  const ours = applicationId(database) === APPLICATION_ID;
  database.exec("COMMIT");
  return ours;
}

function applicationId(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA application_id").get()?.application_id);
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT count(*) AS objects FROM sqlite_schema").get()?.objects === 0;
}

/** Held by the process that removes a file. */
const LOCK_FILE = "repair.lock";

/** How `removeUnusable` works. */
export interface RemoveOptions {
  /** The suffixes of files that are removed along, such as `-wal`. */
  readonly companions?: readonly string[] | undefined;
  /** How long to wait for another process that removes a file here, in milliseconds. Default `BLOCKING_TIMEOUT_MS`. */
  readonly blockingTimeoutMs?: number | undefined;
}

/**
 * Removes a file that cannot be used, so that it can be made again. Returns whether it did: if there is another file by now, another
 * process has done so already.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if it is not this user's, or no file; `MCP_LIMIT_EXCEEDED`, for which `isBusy` holds, if another
 * process takes longer than `blockingTimeoutMs`.
 */
export function removeUnusable(
  folder: PrivateFolder,
  name: string,
  { mark, fault }: InspectedFile,
  { companions = [], blockingTimeoutMs = BLOCKING_TIMEOUT_MS }: RemoveOptions = {},
): boolean {
  const path = folder.pathOf(name);
  if (fault === "othersOwn")
    throw new McpError("MCP_STORAGE_FAILED", `${path} belongs to another user; name another directory.`);
  if (fault === "notAFile")
    throw new McpError("MCP_STORAGE_FAILED", `${path} is not a file; remove it, or name another directory.`);
  const lockFile = folder.pathOf(LOCK_FILE);
  const lock = tryFileLock(lockFile, blockingTimeoutMs);
  if (lock === undefined) {
    const message = `${lockFile} is locked by another process that repairs the catalog; check whether it hangs.`;
    throw new McpError("MCP_LIMIT_EXCEEDED", message);
  }
  try {
    const found = folder.inspect(name)?.mark;
    if (found?.ino !== mark.ino || found.dev !== mark.dev || found.mtimeNs !== mark.mtimeNs) return false;
    // The file itself last: whoever is stopped in between leaves one that is unusable still.
    for (const suffix of [...companions, ""]) folder.remove(name + suffix);
    return true;
  } finally {
    lock[Symbol.dispose]();
  }
}
