import type { Logger } from "@jackfield/mcp-core";
import type { PrivateFolder } from "@jackfield/mcp-core/node";
import type { SqliteDriver } from "@keyv/sqlite";
import { type CatalogFile, openCatalogFile, removeCatalog } from "./catalog-file.ts";
import { hasForeignTable, NAMESPACE, readAllRows, readRows, tidyRows, usedBytes } from "./catalog-rows.ts";
import {
  type CatalogStore,
  failure,
  openCatalogStore,
  type ReadOptions,
  type TakeText,
} from "./catalog-store.ts";
import { createLockQueue } from "./lock-queue.ts";
import { createMemoryCatalogStore } from "./memory-catalog-store.ts";
import { isBusy, isDamage, isRefusedStatement } from "./sqlite-error.ts";
import { BLOCKING_TIMEOUT_MS } from "./unusable-file.ts";

export interface SqliteCatalogOptions {
  /** How long a write waits for another process, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** How much may be kept, in bytes. */
  readonly maxBytes: number;
  readonly log: Logger;
}

/**
 * A store in a SQLite file. Damage in the middle of a file shows only when it is read: the file is then deleted, the read is a
 * miss, and the next request finds a new, empty file. Entries that the disk does not take are kept in memory.
 *
 * @throws whatever keeps the file from being opened, except a lock: the file is then opened at its next use.
 */
export function openSqliteCatalogStore(folder: PrivateFolder, options: SqliteCatalogOptions): CatalogStore {
  const store = new SqliteCatalogStore(folder, options);
  try {
    store.open(BLOCKING_TIMEOUT_MS);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  return store;
}

class SqliteCatalogStore implements CatalogStore {
  readonly #folder: PrivateFolder;
  readonly #options: SqliteCatalogOptions;
  #file: CatalogFile | undefined;
  /** Keyv on the same connection, from the first write on. */
  #writer: Promise<CatalogStore> | undefined;
  /** Reads do not wait for writes: SQLite runs them side by side. */
  readonly #readers = createLockQueue();
  readonly #writers = createLockQueue();
  /** Entries that could not be written. */
  readonly #unwritten = createMemoryCatalogStore();

  constructor(folder: PrivateFolder, options: SqliteCatalogOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  open(blockingTimeoutMs: number): CatalogFile {
    this.#file ??= openCatalogFile(this.#folder, { log: this.#options.log, blockingTimeoutMs });
    return this.#file;
  }

  async read(ids: readonly string[], take: TakeText, { waits }: ReadOptions = {}): Promise<void> {
    const { busyTimeoutMs } = this.#options;
    const read = ({ database }: CatalogFile) => readRows(database, ids, take);
    if (waits) await this.#readers.run(() => this.#use(read), busyTimeoutMs);
    else this.#use(read, BLOCKING_TIMEOUT_MS);
    await this.#unwritten.read(ids, take);
  }

  async write(id: string, text: string, expiresAt: number): Promise<boolean> {
    if (!(await this.#store(id, text, expiresAt))) return this.#unwritten.write(id, text, expiresAt);
    await this.#unwritten.remove(id);
    this.#tidyIfTooLarge();
    return true;
  }

  async remove(id: string): Promise<void> {
    await this.#unwritten.remove(id);
    return (await this.#openWriter()).remove(id);
  }

  async *all(): AsyncIterable<readonly [id: string, text: string]> {
    const { busyTimeoutMs } = this.#options;
    const kept = await this.#readers.run(
      () => this.#use(({ database }) => readAllRows(database)),
      busyTimeoutMs,
    );
    const rows = new Map(kept);
    for await (const [id, text] of this.#unwritten.all()) rows.set(id, text);
    yield* rows;
  }

  async close(): Promise<void> {
    const { database } = this.#file ?? {};
    if (database?.isOpen) database.close();
  }

  /**
   * Runs an action on the open file, and deletes the file if the action shows that it is damaged.
   *
   * @param blockingTimeoutMs - how long this process may block for a lock of another, in milliseconds; 0 if it waits in a queue
   */
  #use<T>(action: (file: CatalogFile) => T, blockingTimeoutMs = 0): T {
    const file = this.open(blockingTimeoutMs);
    try {
      file.database.exec(`PRAGMA busy_timeout = ${blockingTimeoutMs}`);
      return action(file);
    } catch (error) {
      if (isDamage(error) || (isRefusedStatement(error) && hasForeignTable(file.database)))
        this.#delete(file, blockingTimeoutMs);
      throw error;
    }
  }

  #delete({ database, found }: CatalogFile, blockingTimeoutMs: number): void {
    if (!database.isOpen) return;
    database.close();
    // Cleared before the file is deleted: if another process prevents that, opening the file tries again.
    this.#file = undefined;
    this.#writer = undefined;
    removeCatalog(this.#folder, found, { log: this.#options.log, blockingTimeoutMs });
  }

  /** Returns whether the text was stored. An error of the disk is logged. */
  async #store(id: string, text: string, expiresAt: number): Promise<boolean> {
    try {
      return await (await this.#openWriter()).write(id, text, expiresAt);
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
    this.#options.log("warn", message, { folder: this.#folder.path, ...failure(error) });
  }

  #openWriter(): Promise<CatalogStore> {
    this.#writer ??= this.#startWriter().catch((error: unknown) => {
      this.#writer = undefined;
      throw error;
    });
    return this.#writer;
  }

  async #startWriter(): Promise<CatalogStore> {
    try {
      return await this.#startWriterOnce();
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.#startWriterOnce(); // Keyv met the damage while it looked for its table; the file is deleted by now.
    }
  }

  async #startWriterOnce(): Promise<CatalogStore> {
    const { KeyvSqlite } = await import("@keyv/sqlite");
    const store = new KeyvSqlite({ driver: this.#driver() });
    // Awaited before the namespace is set, so that an error of the set-up is thrown here instead of being reported there.
    await store.ready;
    await this.#tidyFirst();
    return openCatalogStore(store, { namespace: NAMESPACE, onError: (error) => this.#tellUnwritten(error) });
  }

  async #tidyFirst(): Promise<void> {
    try {
      await this.#writers.run(() => this.#tidy(), this.#options.busyTimeoutMs);
    } catch (error) {
      // A lock that is held for so long would not let the write through either.
      if (isBusy(error)) throw error;
      this.#tidyLater(error);
    }
  }

  #tidyIfTooLarge(): void {
    try {
      if (this.#use(({ database }) => usedBytes(database)) > this.#options.maxBytes) this.#tidy();
    } catch (error) {
      this.#tidyLater(error);
    }
  }

  #tidy(): void {
    this.#use(({ database }) => tidyRows(database, this.#options.maxBytes));
  }

  /** Logs a failed clean-up, which a later write repeats. Damage is thrown. */
  #tidyLater(error: unknown): void {
    if (isDamage(error)) throw error;
    this.#options.log("debug", "The tool catalog could not be tidied up.", failure(error));
  }

  /** The driver for `node:sqlite` that Keyv uses. Keyv's own driver blocks while it waits, and does not check whose file it opens. */
  #driver(): SqliteDriver {
    const { busyTimeoutMs } = this.#options;
    return {
      name: "node:sqlite",
      connect: async () => {
        await this.#writers.run(() => this.open(0), busyTimeoutMs);
        const run = (sql: string, values: unknown[]) =>
          this.#use(({ database }) => database.prepare(sql).all(...(values as (string | number | null)[])));
        return {
          query: (sql, ...values) => this.#writers.run(() => run(sql, values), busyTimeoutMs),
          close: async () => {},
        };
      },
    };
  }
}
