import type {
  CatalogEntry,
  CatalogIdentity,
  CatalogItems,
  Handshake,
  McpError,
  PriorHandshake,
} from "@jackfield/mcp-core";
import type { ContextKind } from "../context/server-context.ts";
import {
  type CatalogRecord,
  type CatalogVerdict,
  failedEntry,
  listedEntry,
  NOTHING_KNOWN,
} from "./catalog-record.ts";
import type { DatedListing } from "./list-kind.ts";

/** A record that is to be stored. */
export type StorableRecord = CatalogRecord & { readonly entry: CatalogEntry };

/** One server's catalog record, kept up to date. Without a record nothing is stored, and only what the server itself has sent is known. */
export interface CatalogMemory {
  readonly verdict: CatalogVerdict;
  /** The catalog entry, if there is one. */
  readonly entry: CatalogEntry | undefined;
  /** The earlier handshake, for the next connection. */
  readonly prior: PriorHandshake | undefined;
  /** Takes the catalog's record. A list that was loaded before is stored now. */
  take(record: CatalogRecord | undefined): void;
  /** An attempt to connect the server begins. What it takes is counted from here. */
  attempted(): void;
  /** The tools were listed. Later lists and failures of the same session do not change how long the attempt took. */
  listed(handshake: Handshake, listing: DatedListing<"tools">): void;
  /** Another list was loaded. It is stored as soon as the entry has tools, and not without them. */
  contextListed<K extends ContextKind>(kind: K, items: readonly CatalogItems[K][]): void;
  /** The server announced a change: the entry is stale until a list that was requested later is loaded. */
  markStale(): void;
  /** An attempt to connect the server, or to list it for the first time, failed. */
  failed(error: McpError): void;
  /** Forgets the handshake for the next connection: a session that ended before it listed anything may have used an outdated one. */
  forgetHandshake(): void;
}

/** Writes to the catalog. */
export interface CatalogWriter {
  store(record: StorableRecord): void;
  markStale(identity: CatalogIdentity): void;
}

export function createCatalogMemory(server: string, writer: CatalogWriter): CatalogMemory {
  return new Memory(server, writer);
}

class Memory implements CatalogMemory {
  readonly #server: string;
  readonly #writer: CatalogWriter;
  #record: CatalogRecord | undefined;
  prior: PriorHandshake | undefined;
  #attemptedAt = Date.now();
  /** How long the attempt took until its first list or failure, in milliseconds. */
  #tookMs: number | undefined;
  /** When a change was last announced, epoch milliseconds. */
  #changeAnnouncedAt = 0;
  /** The entry of a list that came before there was a record: a call may wake the server before the start. */
  #pendingEntry: ((held: CatalogRecord) => CatalogEntry) | undefined;
  /** Other lists that came before the tools, to be stored with them: a server may fail to list its tools at first. */
  #contextLists: Partial<Pick<CatalogEntry, ContextKind>> | undefined;

  constructor(server: string, writer: CatalogWriter) {
    this.#server = server;
    this.#writer = writer;
  }

  get verdict(): CatalogVerdict {
    return this.#record?.verdict ?? NOTHING_KNOWN;
  }

  get entry(): CatalogEntry | undefined {
    return this.#record?.entry;
  }

  take(record: CatalogRecord | undefined): void {
    this.#record = record;
    this.prior ??= record?.entry?.prior;
    if (this.#pendingEntry !== undefined) this.#keep(this.#pendingEntry);
    else this.#keepContextLists();
  }

  attempted(): void {
    this.#attemptedAt = Date.now();
    this.#tookMs = undefined;
  }

  listed(handshake: Handshake, listing: DatedListing<"tools">): void {
    this.prior = handshake.prior;
    this.#tookMs ??= Date.now() - this.#attemptedAt;
    const outcome = { ok: true, at: Date.now(), tookMs: this.#tookMs };
    this.#pendingEntry = ({ entry, identity }) => {
      const seen = { handshake, listing, outcome, changeAnnouncedAt: this.#changeAnnouncedAt };
      return listedEntry(entry, this.#server, identity, seen);
    };
    this.#keep(this.#pendingEntry);
  }

  contextListed<K extends ContextKind>(kind: K, items: readonly CatalogItems[K][]): void {
    this.#contextLists = { ...this.#contextLists, [kind]: items };
    this.#keepContextLists();
  }

  markStale(): void {
    this.#changeAnnouncedAt = Date.now();
    const record = this.#record;
    if (record?.entry === undefined || record.entry.stale === true) return; // A burst of changes is one mark.
    this.#record = { ...record, entry: { ...record.entry, stale: true } };
    this.#writer.markStale(record.identity);
  }

  failed(error: McpError): void {
    if (error.code === "MCP_ABORTED") return;
    this.#tookMs ??= Date.now() - this.#attemptedAt;
    const failed = { error, at: Date.now(), tookMs: this.#tookMs };
    this.#keep(({ entry, identity }) => failedEntry(entry, this.#server, identity, failed));
  }

  forgetHandshake(): void {
    this.prior = undefined;
    const record = this.#record;
    if (record?.entry !== undefined)
      this.#record = { ...record, entry: { ...record.entry, prior: undefined } };
  }

  #keepContextLists(): void {
    const entry = this.#record?.entry;
    if (this.#contextLists !== undefined && entry?.tools !== undefined) this.#keep(() => entry);
  }

  #keep(write: (held: CatalogRecord) => CatalogEntry): void {
    if (this.#record === undefined) return;
    const written = write(this.#record);
    const hasTools = written.tools !== undefined;
    const filled = { ...this.#record, entry: hasTools ? { ...written, ...this.#contextLists } : written };
    if (hasTools) this.#contextLists = undefined;
    this.#record = filled;
    this.#pendingEntry = undefined;
    this.#writer.store(filled);
  }
}
