import type { SqliteDriver } from "@keyv/sqlite";
import { type CatalogFileOptions, isDamage, openCatalogFile, setCatalogAside } from "./catalog-file.ts";
import { type CatalogStore, openCatalogStore } from "./catalog-store.ts";

/** SQLite answers a query of the iterator in one piece up to so many rows. */
const ROWS_AT_ONCE = 500;

/**
 * A store in a SQLite file. Damage in the middle of a file shows only when it is read: then the file is set aside, what was
 * asked is a miss, and the next request finds a new, empty file.
 */
export async function openSqliteCatalogStore(
  file: string,
  options: CatalogFileOptions,
): Promise<CatalogStore> {
  const store = new HealingStore(file, options);
  await store.current();
  return store;
}

class HealingStore implements CatalogStore {
  readonly #file: string;
  readonly #options: CatalogFileOptions;
  #current: Promise<CatalogStore> | undefined;

  constructor(file: string, options: CatalogFileOptions) {
    this.#file = file;
    this.#options = options;
  }

  current(): Promise<CatalogStore> {
    this.#current ??= this.#open().catch((error: unknown) => {
      this.#current = undefined;
      throw error;
    });
    return this.#current;
  }

  async read(ids: readonly string[]): Promise<readonly (string | undefined)[]> {
    return (await this.current()).read(ids);
  }

  async write(id: string, text: string): Promise<boolean> {
    return (await this.current()).write(id, text);
  }

  async remove(id: string): Promise<void> {
    return (await this.current()).remove(id);
  }

  async *all(): AsyncIterable<readonly [id: string, text: string]> {
    yield* (await this.current()).all();
  }

  async close(): Promise<void> {
    await (await this.#current)?.close();
  }

  async #open(): Promise<CatalogStore> {
    try {
      return await this.#openOnce();
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.#openOnce(); // Keyv met the damage while it looked for its table; the file is set aside by now.
    }
  }

  async #openOnce(): Promise<CatalogStore> {
    const { KeyvSqlite } = await import("@keyv/sqlite");
    const store = new KeyvSqlite({ driver: this.#driver(), iterationLimit: ROWS_AT_ONCE });
    // Before the namespace is set, so that an error of the set-up is thrown here instead of being reported there.
    await store.ready;
    return openCatalogStore(store, { namespace: "catalog", log: this.#options.log });
  }

  /**
   * Keyv's way to `node:sqlite`. Its own driver neither closes a file that turns out to be unusable nor looks whose it is.
   */
  #driver(): SqliteDriver {
    return {
      name: "node:sqlite",
      connect: async () => {
        const { database, mark } = openCatalogFile(this.#file, this.#options);
        const query = async (sql: string, ...values: unknown[]): Promise<unknown[]> => {
          try {
            return database.prepare(sql).all(...(values as (string | number | null)[]));
          } catch (error) {
            if (isDamage(error) && database.isOpen) {
              database.close();
              setCatalogAside(this.#file, mark, this.#options.log);
              this.#current = undefined;
            }
            throw error;
          }
        };
        const close = async (): Promise<void> => {
          if (database.isOpen) database.close();
        };
        return { query, close };
      },
    };
  }
}
