import type { Logger } from "@jackfield/mcp-core";
import type { KeyvSerializationAdapter, KeyvStorageAdapter, KeyvValue } from "keyv";

/** Where documents are kept: texts by id. A failure is told to the logger and reads as nothing. */
export interface CatalogStore {
  /** The texts in the order of the ids; one round trip. */
  read(ids: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Whether it was stored. */
  write(id: string, text: string): Promise<boolean>;
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
    read: async (ids) => (await keyv.getMany<unknown>([...ids])).map(textOnly),
    write: (id, text) => keyv.set(id, text),
    remove: async (id) => {
      await keyv.delete(id);
    },
    async *all() {
      for await (const [id, text] of keyv.iterator()) {
        if (typeof id === "string" && typeof text === "string") yield [id, text] as const;
      }
    },
    close: () => keyv.disconnect(),
  };
}

/** What a log may say of an error that came from a store. */
export function failure(error: unknown): { readonly reason: string } {
  return { reason: error instanceof Error ? error.message : String(error) };
}

function textOnly(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
