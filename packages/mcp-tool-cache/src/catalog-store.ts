import { thrownMessage } from "@jackfield/mcp-core";
import type { KeyvSerializationAdapter, KeyvStorageAdapter, KeyvValue } from "keyv";

/** Where documents are kept: texts by id. A failure is told to the log and reads as nothing, or is thrown. */
export interface CatalogStore {
  /** Hands over the texts of those ids that have one, one after the other, in one round trip. */
  read(ids: readonly string[], take: TakeText, options?: ReadOptions): Promise<void>;
  /** Keeps a text until `expiresAt`, epoch milliseconds. Tells whether it was stored. */
  write(id: string, text: string, expiresAt: number): Promise<boolean>;
  remove(id: string): Promise<void>;
  all(): AsyncIterable<readonly [id: string, text: string]>;
  close(): Promise<void>;
}

/** Takes a text that was read. It may be given the same one twice. */
export type TakeText = (id: string, text: string) => void;

export interface ReadOptions {
  /** For a lock that another process holds, which otherwise makes the reading fail. Default `false`. */
  readonly waits?: boolean | undefined;
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
  /** Told what Keyv and its store report; what they report, they do not throw. */
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

/** What a log may say of an error that came from a store. */
export function failure(error: unknown): { readonly reason: string } {
  return { reason: thrownMessage(error) };
}
