import { startTimer } from "@jackfield/mcp-core";
import { hearHiddenPool } from "@jackfield/mcp-core/node";
import type { KeyvSerializationAdapter, KeyvStorageAdapter, KeyvValue } from "keyv";
import { clientsOf, messagesOf, type PostgresClient, type StoreMessages } from "./store-client.ts";

/** A store of documents: texts by id. A failure is either thrown, or logged and read as nothing. */
export interface CatalogStore {
  /** Passes the text of each id that has one to `take`, one after the other, in one round trip. */
  read(ids: readonly string[], take: TakeText, options?: ReadOptions): Promise<void>;
  /** Keeps a text until `expiresAt`, epoch milliseconds. Resolves to whether it was stored. */
  write(id: string, text: string, expiresAt: number): Promise<boolean>;
  remove(id: string): Promise<void>;
  all(): AsyncIterable<readonly [id: string, text: string]>;
  /** Messages between the processes that share the store; missing where it has none. */
  readonly messages?: StoreMessages | undefined;
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

export interface KeyvCatalogOptions {
  readonly namespace: string;
  /** How long the store may take to answer, in milliseconds: the client of an unreachable server may wait for ever. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Receives the errors that Keyv and its store emit instead of throwing. */
  readonly onError: (error: unknown) => void;
  /** Called when the store has answered, nothing was emitted meanwhile, and its last write was taken. */
  readonly onAnswer?: (() => void) | undefined;
  readonly postgresClient?: (() => PostgresClient) | undefined;
}

/** Stores a document as it is. Keyv's own serializer would wrap it, a JSON text, into another one. */
const plainText: KeyvSerializationAdapter = {
  stringify: (stored) => String((stored as KeyvValue<unknown>).value),
  parse: <T>(text: string) => ({ value: text }) as T,
};

/** Opens a Keyv on the store. One store serves one namespace: Keyv keeps the namespace in the store itself. */
export async function openKeyvCatalogStore(
  store: KeyvStore,
  { namespace, timeoutMs, onError, onAnswer, postgresClient }: KeyvCatalogOptions,
): Promise<CatalogStore> {
  const { Keyv } = await import("keyv");
  const keyv = new Keyv({ store, namespace, serialization: plainText });
  let errors = 0;
  const failed = (error: unknown) => {
    errors += 1;
    onError(error);
  };
  // Without a listener Keyv throws what its store reports, and so does a client that loses its connection.
  keyv.on("error", failed);
  for (const client of clientsOf(store)) client.on("error", failed);
  void hearHiddenPool(store, failed);
  let isSilent = false;
  /** A full store still answers those who read: only a write shows that it takes writes again. */
  let refusesWrites = false;
  const answered = async <T>(asking: Promise<T>): Promise<T> => {
    const before = errors;
    isSilent = true;
    const answer = await (timeoutMs === undefined ? asking : answerWithin(asking, timeoutMs));
    isSilent = false;
    if (errors === before && !refusesWrites) onAnswer?.();
    return answer;
  };
  const messages = messagesOf(store, { channel: `${namespace}:changes`, onError: failed, postgresClient });
  return {
    messages,
    async read(ids, take) {
      const texts = await answered(keyv.getMany<unknown>([...ids]));
      for (const [index, id] of ids.entries()) {
        const text = texts[index];
        if (typeof text === "string") take(id, text);
      }
    },
    write: (id, text, expiresAt) =>
      answered(
        keyv.set(id, text, expiresAt - Date.now()).then((isTaken) => {
          refusesWrites = !isTaken;
          return isTaken;
        }),
      ),
    async remove(id) {
      await answered(keyv.delete(id));
    },
    async *all() {
      const rows = keyv.iterator()[Symbol.asyncIterator]();
      for (;;) {
        const row = await answered(rows.next());
        if (row.done === true) return;
        const [id, text] = row.value;
        if (typeof id === "string" && typeof text === "string") yield [id, text] as const;
      }
    },
    async close() {
      await messages?.close();
      const giveUp = clientsOf(store).find(({ destroy }) => destroy !== undefined);
      // A client that waits for answers before it closes would keep the process alive, and cannot be ended once it is closing.
      if (isSilent && giveUp !== undefined) giveUp.destroy?.();
      else await (timeoutMs === undefined ? keyv.disconnect() : answerWithin(keyv.disconnect(), timeoutMs));
    },
  };
}

/** The answer, if it comes in time. */
async function answerWithin<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new Error(`The store did not answer within ${timeoutMs} ms.`));
  const timer = startTimer(giveUp, timeoutMs);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A store in memory. It depends on nothing that could be unavailable: no file, no other module. */
export function createMemoryCatalogStore(): CatalogStore {
  const texts = new Map<string, string>();
  return {
    async read(ids, take) {
      for (const id of ids) {
        const text = texts.get(id);
        if (text !== undefined) take(id, text);
      }
    },
    async write(id, text) {
      texts.set(id, text);
      return true;
    },
    async remove(id) {
      texts.delete(id);
    },
    async *all() {
      yield* [...texts];
    },
    async close() {},
  };
}
