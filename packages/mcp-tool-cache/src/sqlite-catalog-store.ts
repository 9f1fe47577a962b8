import type { Logger } from "@jackfield/mcp-core";
import type { SqliteDriver } from "@keyv/sqlite";
import { type CatalogFile, openCatalogFile, setCatalogAside } from "./catalog-file.ts";
import { hasForeignTable, NAMESPACE, readAllRows, readRows, tidyRows, usedBytes } from "./catalog-rows.ts";
import {
  type CatalogStore,
  failure,
  openCatalogStore,
  type ReadOptions,
  type TakeText,
} from "./catalog-store.ts";
import { isBusy, isDamage, isRefusedStatement } from "./sqlite-error.ts";
import { whenUnlocked } from "./unlocked.ts";

export interface SqliteCatalogOptions {
  /** How long a write waits for another process, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** How much may be kept, in bytes. */
  readonly maxBytes: number;
  readonly log: Logger;
}

/**
 * A store in a SQLite file. Damage in the middle of a file shows only when it is read: then the file is set aside, what was
 * asked is a miss, and the next request finds a new, empty file.
 *
 * @throws whatever keeps the file from being opened, except that somebody has locked it: then it is opened at its next use.
 */
export function openSqliteCatalogStore(file: string, options: SqliteCatalogOptions): CatalogStore {
  const store = new SqliteCatalogStore(file, options);
  try {
    store.open();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  return store;
}

class SqliteCatalogStore implements CatalogStore {
  readonly #path: string;
  readonly #options: SqliteCatalogOptions;
  #file: CatalogFile | undefined;
  /** Keyv on the same connection, from the first write on. */
  #writer: Promise<CatalogStore> | undefined;

  constructor(path: string, options: SqliteCatalogOptions) {
    this.#path = path;
    this.#options = options;
  }

  open(): CatalogFile {
    this.#file ??= openCatalogFile(this.#path, this.#options.log);
    return this.#file;
  }

  async read(ids: readonly string[], take: TakeText, { waits }: ReadOptions = {}): Promise<void> {
    const { busyTimeoutMs } = this.#options;
    const read = () => this.#use(({ database }) => readRows(database, ids, take));
    await whenUnlocked(read, waits ? busyTimeoutMs : 0);
  }

  async write(id: string, text: string, expiresAt: number): Promise<boolean> {
    const stored = await (await this.#openWriter()).write(id, text, expiresAt);
    if (stored && this.#use(({ database }) => usedBytes(database)) > this.#options.maxBytes) this.#tidy();
    return stored;
  }

  async remove(id: string): Promise<void> {
    return (await this.#openWriter()).remove(id);
  }

  async *all(): AsyncIterable<readonly [id: string, text: string]> {
    const { busyTimeoutMs } = this.#options;
    yield* await whenUnlocked(() => this.#use(({ database }) => readAllRows(database)), busyTimeoutMs);
  }

  async close(): Promise<void> {
    const { database } = this.#file ?? {};
    if (database?.isOpen) database.close();
  }

  /** Does something with the open file, and sets the file aside if that shows that it is damaged. */
  #use<T>(action: (file: CatalogFile) => T): T {
    const file = this.open();
    try {
      return action(file);
    } catch (error) {
      if (isDamage(error) || (isRefusedStatement(error) && hasForeignTable(file.database)))
        this.#setAside(file);
      throw error;
    }
  }

  #setAside({ database, mark }: CatalogFile): void {
    if (!database.isOpen) return;
    database.close();
    setCatalogAside(this.#path, mark, this.#options.log);
    this.#file = undefined;
    this.#writer = undefined;
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
      return this.#startWriterOnce(); // Keyv met the damage while it looked for its table; the file is set aside by now.
    }
  }

  async #startWriterOnce(): Promise<CatalogStore> {
    const { KeyvSqlite } = await import("@keyv/sqlite");
    const store = new KeyvSqlite({ driver: this.#driver() });
    // Before the namespace is set, so that an error of the set-up is thrown here instead of being reported there.
    await store.ready;
    this.#tidy();
    return openCatalogStore(store, { namespace: NAMESPACE, log: this.#options.log });
  }

  /** What could not be tidied up now is tidied up another time. */
  #tidy(): void {
    const { maxBytes, log } = this.#options;
    try {
      this.#use(({ database }) => tidyRows(database, maxBytes));
    } catch (error) {
      if (isDamage(error)) throw error;
      log("debug", "The tool catalog could not be tidied up.", failure(error));
    }
  }

  /** Keyv's way to `node:sqlite`. Its own driver neither waits without blocking nor looks whose file it opens. */
  #driver(): SqliteDriver {
    const { busyTimeoutMs } = this.#options;
    return {
      name: "node:sqlite",
      connect: async () => {
        await whenUnlocked(() => this.open(), busyTimeoutMs);
        const run = (sql: string, values: unknown[]) =>
          this.#use(({ database }) => database.prepare(sql).all(...(values as (string | number | null)[])));
        return {
          query: (sql, ...values) => whenUnlocked(() => run(sql, values), busyTimeoutMs),
          close: async () => {},
        };
      },
    };
  }
}
