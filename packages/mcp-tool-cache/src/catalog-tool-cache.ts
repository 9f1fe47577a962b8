import type { KeyObject } from "node:crypto";
import {
  type CatalogEntry,
  type CatalogId,
  type CatalogIdentity,
  type CatalogSummary,
  createTimeSlices,
  type IdentifyOptions,
  isSameJson,
  KeyedQueue,
  type ResolvedServer,
  type ToolCache,
} from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import { readCatalogDocument, writeCatalogDocument } from "./catalog-document.ts";
import { catalogIdentity, credentialsHash } from "./catalog-identity.ts";
import { type CatalogStore, createMemoryCatalogStore, type ReadOptions } from "./catalog-store.ts";
import {
  type CatalogRecord,
  entryAsOf,
  markedStale,
  successor,
  withBoundedTtl,
} from "./catalog-succession.ts";
import { type FaultLog, failure } from "./fault-log.ts";
import { temporaryIdentityKey } from "./identity-key.ts";

/** A tool cache over a store that may outlive the process. `close()`, which `await using` calls, releases the store. */
export type PersistentToolCache = ToolCache & AsyncDisposable;

/** An open store, and the key for the ids and checksums of its entries. */
export interface OpenCatalog {
  readonly key: KeyObject;
  readonly store: CatalogStore;
}

export interface CatalogToolCacheOptions {
  /** Called once, at the first use. If it fails, the catalog works in memory for as long as the process lives. */
  open(): Promise<OpenCatalog>;
  readonly faults: FaultLog;
  /** Tells the clock of this cache from those of others that share the store. Default: all have one clock. */
  readonly writer?: string | undefined;
  /** The program that runs; see `IdentityOptions`. */
  readonly program: string;
}

/** One entry larger than this is not stored: no server has that many tools for a good reason. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

const UNREADABLE =
  "An unreadable catalog entry was ignored: it is damaged, or another version wrote it. Its server is listed again; no action is needed.";

/** The tool cache over any store. It decides what is kept and what is a miss, and never throws. */
export class CatalogToolCache implements PersistentToolCache {
  readonly #options: CatalogToolCacheOptions;
  readonly #writes = new KeyedQueue();
  readonly #pending = new Set<Promise<unknown>>();
  #opened: Promise<OpenCatalog> | undefined;
  #noCredentials: string | undefined;
  #closing: Promise<void> | undefined;
  readonly #listeners = new Set<(id: CatalogId) => void>();
  #isListening = false;

  constructor(options: CatalogToolCacheOptions) {
    this.#options = options;
  }

  async identify(server: ResolvedServer, options: IdentifyOptions = {}): Promise<CatalogIdentity> {
    const { key } = await this.#open();
    this.#noCredentials ??= credentialsHash(key, []);
    const { program } = this.#options;
    return catalogIdentity(server, { ...options, key, program, noCredentials: this.#noCredentials });
  }

  getMany(ids: readonly CatalogId[]): Promise<ReadonlyMap<CatalogId, CatalogEntry>> {
    const missing: ReadonlyMap<CatalogId, CatalogEntry> = new Map();
    return this.#use("read", missing, async () => {
      const now = Date.now();
      const records = await this.#read([...new Set(ids)]);
      return new Map([...records].map(([id, { entry }]) => [id, entryAsOf(entry, now)]));
    });
  }

  set(id: CatalogId, entry: CatalogEntry): Promise<void> {
    return this.#use("written", undefined, () => {
      const snapshot = withBoundedTtl(snapshotOf(entry));
      return this.#writes.run(id, () =>
        this.#replace(id, (kept) => successor(kept, snapshot, Date.now(), this.#options.writer)),
      );
    });
  }

  markStale(id: CatalogId): Promise<void> {
    const now = Date.now();
    return this.#use("marked stale", undefined, () =>
      this.#writes.run(id, () =>
        this.#replace(id, (kept) => kept && markedStale(kept, now, this.#options.writer)),
      ),
    );
  }

  delete(id: CatalogId): Promise<void> {
    return this.#use("deleted", undefined, () =>
      this.#writes.run(id, async () => (await this.#open()).store.remove(id)),
    );
  }

  list(): Promise<readonly CatalogSummary[]> {
    const none: readonly CatalogSummary[] = [];
    return this.#use("listed", none, async () => {
      const { key, store } = await this.#open();
      const now = Date.now();
      const summaries: CatalogSummary[] = [];
      for await (const [row, text] of store.all()) {
        const id = row as CatalogId;
        const record = await readCatalogDocument(text, { id, key });
        if (record !== undefined && record.expiresAt > now)
          summaries.push(summary(id, entryAsOf(record.entry, now)));
      }
      return summaries;
    });
  }

  onChange(listener: (id: CatalogId) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#isListening) void this.#use("watched", undefined, () => this.#listen());
    this.#isListening = true;
    return () => void this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#release();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #release(): Promise<void> {
    await Promise.all(this.#pending);
    const opened = await this.#opened;
    await opened?.store.close().catch((error: unknown) => this.#tell("closed", error));
  }

  async #listen(): Promise<void> {
    const { messages } = (await this.#open()).store;
    messages?.receive((message) => {
      const [writer, id] = message.split(" ");
      if (writer === this.#options.writer || id === undefined) return;
      for (const listener of this.#listeners) listener(id as CatalogId);
    });
  }

  async #replace(
    id: CatalogId,
    decide: (kept: CatalogRecord | undefined) => CatalogRecord | undefined,
  ): Promise<void> {
    const kept = (await this.#read([id], { waits: true })).get(id);
    const next = decide(kept);
    if (next === undefined) return;
    const { key, store } = await this.#open();
    const { text, bytes } = await writeCatalogDocument(next, { id, key });
    const isTooLarge = bytes > MAX_DOCUMENT_BYTES;
    if (!isTooLarge && (await store.write(id, text, next.expiresAt))) {
      if (store.messages !== undefined && (await isOtherContent(kept?.entry, next.entry)))
        await store.messages.send(`${this.#options.writer} ${id}`);
      return;
    }
    if (!isTooLarge && this.#options.faults.isOutage) return; // It was told.
    const reason = isTooLarge ? `they have ${bytes} bytes, and ${MAX_DOCUMENT_BYTES} are allowed` : undefined;
    const { server } = next.entry;
    const message = "A server's tools could not be stored in the tool catalog.";
    this.#options.faults.log("warn", message, { server, bytes, reason });
  }

  async #read(
    ids: readonly CatalogId[],
    options: ReadOptions = {}, // default: do not wait for locks
  ): Promise<ReadonlyMap<CatalogId, CatalogRecord>> {
    const { key, store } = await this.#open();
    const now = Date.now();
    const records = new Map<CatalogId, CatalogRecord>();
    const expired: CatalogId[] = []; // Some stores keep them for ever.
    const texts: (readonly [id: CatalogId, text: string])[] = [];
    await store.read(ids, (row, text) => texts.push([row as CatalogId, text]), options);
    for (const [id, text] of texts) {
      const record = await readCatalogDocument(text, { id, key });
      if (record === undefined) this.#options.faults.log("warn", UNREADABLE);
      else if (record.expiresAt <= now) expired.push(id);
      else if (supersedes(record, records.get(id))) records.set(id, record);
    }
    for (const id of expired) void this.delete(id);
    return records;
  }

  /** Runs one operation unless the catalog is closed. An error is logged and becomes a miss. */
  async #use<T>(done: string, missing: T, operation: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return missing;
    const outcome = attempt(operation).catch((error: unknown) => {
      this.#tell(done, error);
      return missing;
    });
    this.#pending.add(outcome);
    try {
      return await outcome;
    } finally {
      this.#pending.delete(outcome);
    }
  }

  #open(): Promise<OpenCatalog> {
    this.#opened ??= this.#closing === undefined ? this.#openOrForget() : Promise.resolve(inMemory());
    return this.#opened;
  }

  async #openOrForget(): Promise<OpenCatalog> {
    try {
      return await this.#options.open();
    } catch (error) {
      const message = "The tool catalog cannot be stored; it lasts only as long as this process.";
      this.#options.faults.log("warn", message, failure(error));
      return inMemory();
    }
  }

  #tell(done: string, error: unknown): void {
    this.#options.faults.failed(`The tool catalog could not be ${done}.`, error);
  }
}

/** The entry as it is now. What is frozen stays so: to copy thousands of tools takes longer than to write them. */
function snapshotOf({ tools, ...entry }: CatalogEntry): CatalogEntry {
  const kept = tools?.map((tool) => (Object.isFrozen(tool) ? tool : structuredClone(tool)));
  return { ...structuredClone(entry), ...(kept && { tools: kept }) };
}

/** Whether an entry says something else of what the server offers. Compared in slices of time: there may be thousands of tools. */
async function isOtherContent(kept: CatalogEntry | undefined, next: CatalogEntry): Promise<boolean> {
  const slices = createTimeSlices();
  for (const field of CONTENT) {
    const [one, other] = [kept?.[field], next[field]].map((value) =>
      Array.isArray(value) ? value : [value],
    );
    if (one?.length !== other?.length) return true;
    for (const [index, item] of (one ?? []).entries()) {
      if (!isSameJson(item, other?.[index])) return true;
      if (slices.isOver()) await slices.next();
    }
  }
  return false;
}

const CONTENT = ["tools", "resources", "resourceTemplates", "prompts", "instructions"] as const;

/** If a store returns an id twice, the record that was listed later wins; of the same listing, the one returned later. */
function supersedes({ entry }: CatalogRecord, known: CatalogRecord | undefined): boolean {
  return known === undefined || entry.listedAt >= known.entry.listedAt;
}

function inMemory(): OpenCatalog {
  return { key: cryptography().createSecretKey(temporaryIdentityKey()), store: createMemoryCatalogStore() };
}

/** Turns a synchronous throw into a rejection. */
async function attempt<T>(operation: () => Promise<T>): Promise<T> {
  return operation();
}

function summary(id: CatalogId, entry: CatalogEntry): CatalogSummary {
  const { server, tools, listedAt, stale } = entry;
  return { id, server, tools: tools?.length ?? 0, listedAt, stale: stale ?? false };
}
