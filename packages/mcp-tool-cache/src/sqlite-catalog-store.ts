import type { DatabaseSync } from "node:sqlite";
import { thrownMessage, toMcpError } from "@jackfield/mcp-core";
import type { PrivateFolder } from "@jackfield/mcp-core/node";
import type { SqliteDriver } from "@keyv/sqlite";
import { type CatalogFile, openCatalogFile, removeCatalog } from "./catalog-file.ts";
import {
  type CatalogStore,
  createMemoryCatalogStore,
  openKeyvCatalogStore,
  type ReadOptions,
  type TakeText,
} from "./catalog-store.ts";
import { type FaultLog, failure } from "./fault-log.ts";
import { BLOCKING_TIMEOUT_MS, isBusy, isDamage, isRefusedStatement, LockQueue } from "./lock-queue.ts";

export interface SqliteCatalogOptions {
  /** How long a write waits for another process, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** How much may be kept, in bytes. */
  readonly maxBytes: number;
  readonly faults: FaultLog;
}

/** The Keyv namespace of the rows. */
const NAMESPACE = "catalog";

/** The fraction of the limit to which rows are cut down, so that not every write has to do it again. */
const ROOM_LEFT = 0.9;

/**
 * A store in a SQLite file. Keyv reads and writes the rows; SQL of our own only opens the file and keeps it small. Damage in the middle of
 * a file shows only when it is read: the file is then deleted, the read is a miss, and the next request finds a new, empty file. Entries
 * that the disk does not take are kept in memory.
 */
export class SqliteCatalogStore implements CatalogStore {
  readonly #folder: PrivateFolder;
  readonly #options: SqliteCatalogOptions;
  #file: CatalogFile | undefined;
  #rows: Promise<CatalogStore> | undefined;
  /** Reads do not wait for writes: SQLite runs them side by side. */
  readonly #readers = new LockQueue();
  readonly #writers = new LockQueue();
  /** How many reads wait for a lock of another process; the others give up soon. */
  #patientReads = 0;
  /** Keyv reports it and returns nothing. */
  #readError: unknown;
  #isTidied = false;
  /** Entries that could not be written. */
  readonly #unwritten = createMemoryCatalogStore();

  /** @throws whatever keeps the file from being opened, except a lock: the file is then opened at its next use. */
  constructor(folder: PrivateFolder, options: SqliteCatalogOptions) {
    this.#folder = folder;
    this.#options = options;
    try {
      this.#open(BLOCKING_TIMEOUT_MS);
    } catch (error) {
      if (isBusy(error)) return;
      const message = `${folder.path} cannot be used (${thrownMessage(error)}); check whether its disk is full or read-only.`;
      throw toMcpError(error, "MCP_STORAGE_FAILED", message);
    }
  }

  async read(ids: readonly string[], take: TakeText, { waits }: ReadOptions = {}): Promise<void> {
    const rows = await this.#keyv(waits ? this.#options.busyTimeoutMs : READING_TIMEOUT_MS);
    if (waits) this.#patientReads += 1;
    this.#readError = undefined;
    try {
      await rows.read(ids, take);
    } finally {
      if (waits) this.#patientReads -= 1;
    }
    if (this.#readError !== undefined) throw this.#readError;
    await this.#unwritten.read(ids, take);
  }

  async write(id: string, text: string, expiresAt: number): Promise<boolean> {
    if (!(await this.#store(id, text, expiresAt))) return this.#unwritten.write(id, text, expiresAt);
    await this.#unwritten.remove(id);
    this.#options.faults.worked();
    this.#tidyIfTooLarge();
    return true;
  }

  async remove(id: string): Promise<void> {
    await this.#unwritten.remove(id);
    const rows = await this.#keyv();
    await this.#tidyFirst();
    return rows.remove(id);
  }

  async *all(): AsyncIterable<readonly [id: string, text: string]> {
    const texts = new Map<string, string>();
    for (const store of [await this.#keyv(), this.#unwritten])
      for await (const [id, text] of store.all()) texts.set(id, text);
    yield* texts;
  }

  async close(): Promise<void> {
    const { database } = this.#file ?? {};
    if (database?.isOpen) database.close();
  }

  #open(blockingTimeoutMs: number): CatalogFile {
    const { log } = this.#options.faults;
    this.#file ??= openCatalogFile(this.#folder, { log, blockingTimeoutMs });
    return this.#file;
  }

  /** Runs an action on the open file, and deletes the file if the action shows that it is damaged. The action does not wait for locks. */
  #use<T>(action: (database: DatabaseSync) => T): T {
    const file = this.#open(0);
    try {
      return action(file.database);
    } catch (error) {
      if (isDamage(error) || isForeign(error, file.database)) this.#delete(file);
      throw error;
    }
  }

  #delete({ database, found }: CatalogFile): void {
    if (!database.isOpen) return;
    database.close();
    // Cleared before the file is deleted: if another process prevents that, opening the file tries again.
    this.#file = undefined;
    this.#rows = undefined;
    removeCatalog(this.#folder, found, { log: this.#options.faults.log, blockingTimeoutMs: 0 });
  }

  /** Returns whether the text was stored. An error of the disk is logged. */
  async #store(id: string, text: string, expiresAt: number): Promise<boolean> {
    try {
      const rows = await this.#keyv();
      await this.#tidyFirst();
      return await rows.write(id, text, expiresAt);
    } catch (error) {
      if (isBusy(error) || isDamage(error)) throw error;
      this.#tellUnwritten(error);
      return false;
    }
  }

  #tellUnwritten(error: unknown): void {
    const advice = isBusy(error)
      ? "Check which process is using it."
      : "Check whether its disk is full or read-only; otherwise remove the file.";
    const message = `The tool catalog could not be changed; what is not stored lasts only as long as this process. ${advice}`;
    this.#options.faults.failed(message, error, { folder: this.#folder.path });
  }

  /** Keyv on the open file. @param waitMs - how long to wait for another process, in milliseconds; default `busyTimeoutMs` */
  async #keyv(waitMs = this.#options.busyTimeoutMs): Promise<CatalogStore> {
    const opening = this.#rows;
    if (opening === undefined) return this.#openKeyv(waitMs);
    try {
      return await opening;
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#openKeyv(waitMs); // Whoever opened it may have waited less.
    }
  }

  #openKeyv(waitMs: number): Promise<CatalogStore> {
    const opening = this.#openKeyvOnce(waitMs).catch((error: unknown) => {
      if (isDamage(error) || error instanceof ForeignTable) return this.#openKeyvOnce(waitMs); // It was met while the table was looked for; the next file is empty.
      throw error;
    });
    this.#rows = opening;
    opening.catch(() => {
      if (this.#rows === opening) this.#rows = undefined;
    });
    return opening;
  }

  async #openKeyvOnce(waitMs: number): Promise<CatalogStore> {
    const { KeyvSqlite } = await import("@keyv/sqlite");
    const { busyTimeoutMs } = this.#options;
    let isReady = false;
    /** The driver for `node:sqlite`. Keyv's own driver blocks while it waits, and does not check whose file it opens. */
    const driver: SqliteDriver = {
      name: "node:sqlite",
      connect: async () => {
        await this.#writers.run(() => this.#use(refuseForeignTable), waitMs);
        return {
          query: (sql, ...values) => {
            if (/^\s*(?:SELECT|PRAGMA)\b/i.test(sql)) return this.#read(sql, values);
            return this.#writers.run(() => this.#run(sql, values), isReady ? busyTimeoutMs : waitMs);
          },
          close: async () => {},
        };
      },
    };
    const store = new KeyvSqlite({ driver });
    // Awaited before the namespace is set, so that an error of the set-up is thrown here instead of being reported there.
    await store.ready;
    isReady = true;
    const onError = (error: unknown) => {
      if (error !== this.#readError) this.#tellUnwritten(error);
    };
    return openKeyvCatalogStore(store, { namespace: NAMESPACE, onError });
  }

  async #read(sql: string, values: unknown[]) {
    const waitMs = this.#patientReads > 0 ? this.#options.busyTimeoutMs : READING_TIMEOUT_MS;
    try {
      return await this.#readers.run(() => this.#run(sql, values), waitMs);
    } catch (error) {
      this.#readError = error;
      throw error;
    }
  }

  #run(sql: string, values: unknown[]) {
    return this.#use((database) => database.prepare(sql).all(...(values as (string | number | null)[])));
  }

  /** Removes what has expired before the first change. */
  async #tidyFirst(): Promise<void> {
    if (this.#isTidied) return;
    this.#isTidied = true;
    try {
      await this.#writers.run(() => this.#tidy(), this.#options.busyTimeoutMs);
    } catch (error) {
      // A lock that is held for so long would not let the change through either.
      if (isBusy(error)) throw error;
      this.#tidyLater(error);
    }
  }

  #tidyIfTooLarge(): void {
    try {
      if (this.#use(usedBytes) > this.#options.maxBytes) this.#tidy();
    } catch (error) {
      this.#tidyLater(error);
    }
  }

  #tidy(): void {
    this.#use((database) => tidy(database, this.#options.maxBytes));
  }

  /** Logs a failed clean-up, which a later write repeats. Damage is thrown. */
  #tidyLater(error: unknown): void {
    if (isDamage(error)) throw error;
    this.#options.faults.log("debug", "The tool catalog could not be tidied up.", failure(error));
  }
}

/** How long a start waits for a locked file, in milliseconds. */
const READING_TIMEOUT_MS = 500;

/** Removes expired rows and, if the file is too large, those that expire soonest. Returns the space to the file system. */
function tidy(database: DatabaseSync, maxBytes: number): void {
  database.prepare("DELETE FROM keyv WHERE expires <= ?").run(Date.now());
  const used = usedBytes(database);
  if (used > maxBytes) {
    // A row is deleted if the rows before it free less than the excess.
    const older = "sum(octet_length(value)) OVER (ORDER BY expires, rowid ROWS UNBOUNDED PRECEDING)";
    database
      .prepare(
        `DELETE FROM keyv WHERE rowid IN (SELECT row FROM
           (SELECT rowid AS row, octet_length(value) AS bytes, ${older} AS freed FROM keyv) WHERE freed - bytes < ?)`,
      )
      .run(used - maxBytes * ROOM_LEFT);
  }
  database.exec("PRAGMA incremental_vacuum");
}

/** The size of the pages in use, in bytes. */
function usedBytes(database: DatabaseSync): number {
  const number = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  return (number("page_count") - number("freelist_count")) * number("page_size");
}

/** The table of that name has other columns: none of the catalog's statements works on it. */
class ForeignTable extends Error {}

function refuseForeignTable(database: DatabaseSync): void {
  const columns = columnsOf(database);
  if (columns.size > 0 && !isOurs(columns)) throw new ForeignTable("The catalog's table has other columns.");
}

/** Whether an error means that the table is, or has become, another one. */
function isForeign(error: unknown, database: DatabaseSync): boolean {
  return error instanceof ForeignTable || (isRefusedStatement(error) && !isOurs(columnsOf(database)));
}

function columnsOf(database: DatabaseSync): ReadonlySet<unknown> {
  const columns = database.prepare("SELECT name FROM pragma_table_info('keyv')").all();
  return new Set(columns.map(({ name }) => name));
}

function isOurs(columns: ReadonlySet<unknown>): boolean {
  return ["key", "value", "namespace", "expires"].every((name) => columns.has(name));
}
