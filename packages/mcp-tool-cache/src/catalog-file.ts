import type { DatabaseSync } from "node:sqlite";
import { type Logger, McpError } from "@jackfield/mcp-core";
import { fileSystem } from "./builtin-modules.ts";
import { isOwnFile, lookAtPrivateFile } from "./private-path.ts";
import { type FileMark, setAside } from "./set-aside.ts";
import { isDamage } from "./sqlite-error.ts";
import { loadSqlite } from "./sqlite-module.ts";
import { hasCode } from "./system-error.ts";

const { closeSync, openSync } = fileSystem;

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

/** An open catalog, and the identity of its file. */
export interface CatalogFile {
  readonly database: DatabaseSync;
  readonly mark: FileMark;
}

/**
 * Opens the catalog's database in WAL mode, for its owner alone, and creates it if it is missing. Anything there that is not a
 * usable catalog (garbage, a torn file, a directory, a link, another program's database, a file that others may write) is set aside
 * first.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if the file belongs to another user; the system's or SQLite's error if it cannot be made,
 * or is locked.
 */
export function openCatalogFile(file: string, options: CatalogFileOptions): CatalogFile {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const found = lookAtPrivateFile(file) ?? makeEmptyFile(file);
    if (found === undefined) continue;
    for (const companion of COMPANIONS) setAsideUnlessFile(file + companion, options);
    const database = isOwnFile(found) ? openOwnDatabase(file, options) : undefined;
    if (database !== undefined) return { database, mark: found };
    setCatalogAside(file, found, options);
  }
  throw new McpError("MCP_STORAGE_FAILED", `${file} keeps being replaced; name another directory.`);
}

/** Sets a damaged catalog aside with its companion files, and logs a warning. Throws like `setAside`. */
export function setCatalogAside(
  file: string,
  mark: FileMark,
  { log, blockingTimeoutMs }: CatalogFileOptions,
): void {
  const aside = setAside(file, mark, { companions: COMPANIONS, blockingTimeoutMs });
  if (aside === undefined) return;
  log("warn", "The tool catalog was unusable; it was set aside and starts empty.", { file, aside });
}

/**
 * Creates an empty file, which SQLite takes for a new database, so that its mode is right from the beginning. Existing files are
 * never opened here: closing one would release every lock that this process holds on it.
 */
function makeEmptyFile(file: string): ReturnType<typeof lookAtPrivateFile> {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  return lookAtPrivateFile(file);
}

/** Sets a companion aside if it is no private file: SQLite would write through a link in its place. */
function setAsideUnlessFile(companion: string, { blockingTimeoutMs }: CatalogFileOptions): void {
  const found = lookAtPrivateFile(companion);
  if (found !== undefined && !isOwnFile(found)) setAside(companion, found, { blockingTimeoutMs });
}

/** The open database, or `undefined` if the file is damaged or another program's. */
function openOwnDatabase(file: string, { blockingTimeoutMs }: CatalogFileOptions): DatabaseSync | undefined {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file, { timeout: blockingTimeoutMs });
  let usable = false;
  try {
    if (!claim(database)) return undefined;
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
