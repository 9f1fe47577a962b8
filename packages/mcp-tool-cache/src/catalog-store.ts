import { thrownMessage } from "@jackfield/mcp-core";
import type { KeyvSerializationAdapter, KeyvStorageAdapter, KeyvValue } from "keyv";

/** A store of documents: texts by id. A failure is either thrown, or logged and read as nothing. */
export interface CatalogStore {
  /** Passes the text of each id that has one to `take`, one after the other, in one round trip. */
  read(ids: readonly string[], take: TakeText, options?: ReadOptions): Promise<void>;
  /** Keeps a text until `expiresAt`, epoch milliseconds. Resolves to whether it was stored. */
  write(id: string, text: string, expiresAt: number): Promise<boolean>;
  remove(id: string): Promise<void>;
  all(): AsyncIterable<readonly [id: string, text: string]>;
  close(): Promise<void>;
}

/** Receives a text that was read. It may be called more than once for an id. */
export type TakeText = (id: string, text: string) => void;

export interface ReadOptions {
  /** Whether to wait for a lock of another process, which otherwise makes the read fail. Default `false`. */
  readonly waits?: boolean | undefined;
}

/** A store for Keyv: an adapter of Keyv 6, an adapter made for Keyv 5, or a `Map`. */
export type KeyvStore = KeyvStorageAdapter | Map<string, unknown> | KeyvLegacyStore;

/** The methods of an adapter made for Keyv 5 that Keyv 6 needs. */
export interface KeyvLegacyStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<boolean>;
  clear(): Promise<void>;
}

export interface CatalogStoreOptions {
  readonly namespace: string;
  /** Receives the errors that Keyv and its store emit instead of throwing. */
  readonly onError: (error: unknown) => void;
}

/** Stores a document as it is. Keyv's own serializer would wrap it, a JSON text, into another one. */
const plainText: KeyvSerializationAdapter = {
  stringify: (stored) => String((stored as KeyvValue<unknown>).value),
  parse: <T>(text: string) => ({ value: text }) as T,
};

/** Opens a Keyv on the store. One store serves one namespace: Keyv keeps the namespace in the store itself. */
export async function openCatalogStore(
  store: KeyvStore,
  { namespace, onError }: CatalogStoreOptions,
): Promise<CatalogStore> {
  const { Keyv } = await import("keyv");
  const keyv = new Keyv({ store, namespace, serialization: plainText });
  // Without a listener Keyv throws what its store reports.
  keyv.on("error", onError);
  return {
    read: async (ids, take) => {
      const texts = await keyv.getMany<unknown>([...ids]);
      for (const [index, id] of ids.entries()) {
        const text = texts[index];
        if (typeof text === "string") take(id, text);
      }
    },
    write: (id, text, expiresAt) => keyv.set(id, text, expiresAt - Date.now()),
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

/** The log fields for an error of a store. */
export function failure(error: unknown): { readonly reason: string } {
  return { reason: thrownMessage(error) };
}
