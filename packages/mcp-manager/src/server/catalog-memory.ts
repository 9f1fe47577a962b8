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

/**
 * What the catalog knows of one server, and is told. Without a record it is told nothing, and only what the server itself has said is
 * known.
 */
export interface CatalogMemory {
  readonly verdict: CatalogVerdict;
  /** What the server was when it was last listed. */
  readonly entry: CatalogEntry | undefined;
  /** What to hand back when the server is connected again. */
  readonly prior: PriorHandshake | undefined;
  /** A list that is in already is told then. */
  take(record: CatalogRecord | undefined): void;
  /** The server was listed: `tookMs` since its attempt began. */
  listed(handshake: Handshake, listing: DatedListing<"tools">, tookMs: number): void;
  /** Another list of the server is in. The catalog is told as soon as it knows the tools, and not without them. */
  listedBesides<K extends ContextKind>(kind: K, items: readonly CatalogItems[K][]): void;
  /** The server says that its list is another now: what is known is stale until a list that was begun later is in. */
  doubt(): void;
  /** An attempt to reach the server failed, or to list it for the first time. */
  failed(error: McpError, tookMs: number): void;
  /** A session that ended before it listed anything may rest on a handshake that no longer holds: shake hands anew. */
  forgetHandshake(): void;
}

/** How the catalog is told. */
export interface CatalogTelling {
  store(record: StorableRecord): void;
  doubted(identity: CatalogIdentity): void;
}

export function createCatalogMemory(server: string, telling: CatalogTelling): CatalogMemory {
  return new Memory(server, telling);
}

class Memory implements CatalogMemory {
  readonly #server: string;
  readonly #telling: CatalogTelling;
  #record: CatalogRecord | undefined;
  prior: PriorHandshake | undefined;
  /** Epoch milliseconds. */
  #doubtedAt = 0;
  /** What is to be told of the list that came before there was a record: a call may wake the server before the start. */
  #untold: ((held: CatalogRecord) => CatalogEntry) | undefined;
  /** Other lists that came before the tools, with which they are kept: a server may fail to list those at first. */
  #besides: Partial<Pick<CatalogEntry, ContextKind>> | undefined;

  constructor(server: string, telling: CatalogTelling) {
    this.#server = server;
    this.#telling = telling;
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
    if (this.#untold !== undefined) this.#keep(this.#untold);
    else this.#keepBesides();
  }

  listed(handshake: Handshake, listing: DatedListing<"tools">, tookMs: number): void {
    this.prior = handshake.prior;
    const outcome = { ok: true, at: Date.now(), tookMs };
    this.#untold = ({ entry, identity }) => {
      const seen = { handshake, listing, outcome, doubtedAt: this.#doubtedAt };
      return listedEntry(entry, this.#server, identity, seen);
    };
    this.#keep(this.#untold);
  }

  listedBesides<K extends ContextKind>(kind: K, items: readonly CatalogItems[K][]): void {
    this.#besides = { ...this.#besides, [kind]: items };
    this.#keepBesides();
  }

  doubt(): void {
    this.#doubtedAt = Date.now();
    const record = this.#record;
    if (record?.entry === undefined || record.entry.stale === true) return; // A burst of changes is one mark.
    this.#record = { ...record, entry: { ...record.entry, stale: true } };
    this.#telling.doubted(record.identity);
  }

  failed(error: McpError, tookMs: number): void {
    if (error.code === "MCP_ABORTED") return;
    const failed = { error, at: Date.now(), tookMs };
    this.#keep(({ entry, identity }) => failedEntry(entry, this.#server, identity, failed));
  }

  forgetHandshake(): void {
    this.prior = undefined;
    const record = this.#record;
    if (record?.entry !== undefined)
      this.#record = { ...record, entry: { ...record.entry, prior: undefined } };
  }

  #keepBesides(): void {
    const entry = this.#record?.entry;
    if (this.#besides !== undefined && entry?.tools !== undefined) this.#keep(() => entry);
  }

  #keep(write: (held: CatalogRecord) => CatalogEntry): void {
    if (this.#record === undefined) return;
    const written = write(this.#record);
    const hasTools = written.tools !== undefined;
    const filled = { ...this.#record, entry: hasTools ? { ...written, ...this.#besides } : written };
    if (hasTools) this.#besides = undefined;
    this.#record = filled;
    this.#untold = undefined;
    this.#telling.store(filled);
  }
}
