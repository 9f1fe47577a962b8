import type { Logger } from "@jackfield/mcp-core";
import type { KeyvSerializationAdapter, KeyvStorageAdapter, KeyvValue } from "keyv";

/** Where documents are kept: texts by id. A failure is told to the logger and reads as nothing, or is thrown. */
export interface CatalogStore {
  /**
   * The texts of those ids that have one; one round trip. `waits`: for a lock that another process holds, which otherwise
   * makes the reading fail.
   */
  read(ids: readonly string[], options?: { readonly waits: boolean }): Promise<ReadonlyMap<string, string>>;
  /** Keeps a text until `expiresAt`, epoch milliseconds. Tells whether it was stored. */
  write(id: string, text: string, expiresAt: number): Promise<boolean>;
  remove(id: string): Promise<void>;
  all(): AsyncIterable<readonly [id: string, text: string]>;
  close(): Promise<void>;
}

/** What Keyv can keep values in: an adapter of Keyv 6, an adapter made for Keyv 5, or a `Map`. */
export type KeyvStore = KeyvStorageAdapter | Map<string, unknown> | KeyvLegacyStore;

/** The part of an adapter made for Keyv 5 that Keyv 6 asks for. */
export interface KeyvLegacyStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<boolean>;
  clear(): Promise<void>;
}

export interface CatalogStoreOptions {
  readonly namespace: string;
  readonly log: Logger;
}

/** Stores a document as it is. Keyv's own serializer would wrap it, a JSON text, into another one. */
const plainText: KeyvSerializationAdapter = {
  stringify: (stored) => String((stored as KeyvValue<unknown>).value),
  parse: <T>(text: string) => ({ value: text }) as T,
};

/** Opens a Keyv on the store. One store serves one namespace: Keyv keeps the namespace in the store itself. */
export async function openCatalogStore(
  store: KeyvStore,
  { namespace, log }: CatalogStoreOptions,
): Promise<CatalogStore> {
  const { Keyv } = await import("keyv");
  const keyv = new Keyv({ store, namespace, serialization: plainText });
  // Without a listener Keyv throws what its store reports.
  keyv.on("error", (error: unknown) => log("warn", "The tool catalog's store failed.", failure(error)));
  return {
    read: async (ids) => {
      const texts = await keyv.getMany<unknown>([...ids]);
      return new Map(ids.flatMap((id, index) => textOf(id, texts[index])));
    },
    write: (id, text, expiresAt) => keyv.set(id, text, expiresAt - Date.now()),
    remove: async (id) => {
      await keyv.delete(id);
    },
    async *all() {
      for await (const [id, text] of keyv.iterator()) yield* textOf(String(id), text);
    },
    close: () => keyv.disconnect(),
  };
}

/** What a log may say of an error that came from a store. */
export function failure(error: unknown): { readonly reason: string } {
  return { reason: error instanceof Error ? error.message : String(error) };
}

function textOf(id: string, value: unknown): (readonly [id: string, text: string])[] {
  return typeof value === "string" ? [[id, value]] : [];
}
