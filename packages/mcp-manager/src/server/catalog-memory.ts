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
 * One server's catalog record, kept up to date. A list is stored for the account as which it was listed, which may be another one than at
 * the start: values are filled in anew for each attempt, and a person may have logged in since.
 */
export interface CatalogMemory {
  readonly verdict: CatalogVerdict;
  /** The catalog entry, if there is one. */
  readonly entry: CatalogEntry | undefined;
  /** The earlier handshake, for the next connection. */
  readonly prior: PriorHandshake | undefined;
  /**
   * Takes the catalog's record, unless the server itself has listed its tools, which is newer, or has refused its credentials.
   *
   * @returns whether it was taken
   */
  take(record: CatalogRecord | undefined): boolean;
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
  /** The server refused its credentials: what the catalog knows of it is forgotten, and deleted. */
  refused(): void;
  /** Forgets the handshake for the next connection: a session that ended before it listed anything may have used an outdated one. */
  forgetHandshake(): void;
}

/** Writes to the catalog. */
export interface CatalogWriter {
  /**
   * Does something under the identity of the server as it is reached now. The call is skipped for a server that the catalog does not
   * keep; it is made in the order of these calls.
   */
  identified(act: (identity: CatalogIdentity) => void): void;
  store(record: StorableRecord): void;
  markStale(identity: CatalogIdentity): void;
  delete(identity: CatalogIdentity): void;
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
  /** The server has listed its tools in this run. */
  #isListed = false;
  /** The server has refused its credentials since it last listed its tools. */
  #isRefused = false;
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

  take(record: CatalogRecord | undefined): boolean {
    if (this.#isListed) return false;
    if (record !== undefined && this.#isRefused) {
      this.#writer.delete(record.identity);
      return false;
    }
    this.#record = record;
    this.prior ??= record?.entry?.prior;
    this.#keepContextLists();
    return true;
  }

  attempted(): void {
    this.#attemptedAt = Date.now();
    this.#tookMs = undefined;
  }

  listed(handshake: Handshake, listing: DatedListing<"tools">): void {
    this.prior = handshake.prior;
    this.#tookMs ??= Date.now() - this.#attemptedAt;
    const outcome = { ok: true, at: Date.now(), tookMs: this.#tookMs };
    this.#isListed = true;
    this.#isRefused = false;
    this.#writer.identified((identity) => {
      const seen = { handshake, listing, outcome, changeAnnouncedAt: this.#changeAnnouncedAt };
      const isSame = this.#record?.identity.id === identity.id;
      const { entry } = (isSame && this.#record) || {};
      this.#record = { identity, entry, verdict: this.#record?.verdict ?? NOTHING_KNOWN };
      this.#keep(() => listedEntry(entry, this.#server, identity, seen));
    });
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

  refused(): void {
    this.#isRefused = true;
    this.#isListed = false;
    const record = this.#record;
    this.prior = undefined;
    this.#contextLists = undefined;
    if (record !== undefined) {
      this.#record = { ...record, entry: undefined, verdict: NOTHING_KNOWN };
      this.#writer.delete(record.identity);
    }
    this.#writer.identified((identity) => {
      if (identity.id !== record?.identity.id) this.#writer.delete(identity);
    });
  }

  forgetHandshake(): void {
    this.prior = undefined;
    const record = this.#record;
    if (record?.entry !== undefined)
      this.#record = { ...record, entry: { ...record.entry, prior: undefined } };
  }

  #keepContextLists(): void {
    if (this.#contextLists === undefined) return;
    this.#writer.identified(({ id }) => {
      const { entry, identity } = this.#record ?? {};
      const isOfAccount = identity?.id === id;
      if (isOfAccount && this.#contextLists !== undefined && entry?.tools !== undefined)
        this.#keep(() => entry);
    });
  }

  #keep(write: (held: CatalogRecord) => CatalogEntry): void {
    if (this.#record === undefined) return;
    const written = write(this.#record);
    const hasTools = written.tools !== undefined;
    const filled = { ...this.#record, entry: hasTools ? { ...written, ...this.#contextLists } : written };
    if (hasTools) this.#contextLists = undefined;
    this.#record = filled;
    this.#writer.store(filled);
  }
}
