import {
  type AuthPort,
  type CatalogEntry,
  type CatalogId,
  type CatalogIdentity,
  type CatalogItems,
  type Handshake,
  type Logger,
  type McpError,
  type PriorHandshake,
  type ResolvedServer,
  type ServerDefinition,
  type ToolCache,
  thrownText,
} from "@jackfield/mcp-core";
import { identifyServer } from "../catalog-lookup.ts";
import type { ContextKind } from "../context/server-context.ts";
import type { PendingWork } from "../pending-work.ts";
import {
  type CatalogRecord,
  type CatalogVerdict,
  failedEntry,
  listedEntry,
  NOTHING_KNOWN,
} from "./catalog-record.ts";
import type { DatedListing } from "./list-kind.ts";
import type { ServerValues } from "./server-values.ts";

/** A record that is to be stored. */
export type StorableRecord = CatalogRecord & { readonly entry: CatalogEntry };

/** Where the records of one server are stored. */
export interface CatalogPlace {
  readonly cache: ToolCache | undefined;
  readonly auth: AuthPort | undefined;
  readonly log: Logger;
  readonly values: Pick<ServerValues, "mayStore">;
  /** Work that may outlive the server. */
  readonly background: PendingWork;
  /** Whether the server is still the one of its name: a replaced or removed one stores nothing. */
  isCurrent(): boolean;
  /** The server has no session: what others write to the catalog is looked for from now on. */
  readAgain(): void;
}

/** The server that is stored. */
export interface StoredServer {
  readonly definition: ServerDefinition;
  /** The user of the manager. */
  readonly principal: string | undefined;
  /** The values by which it was reached last. */
  readonly resolved: ResolvedServer | undefined;
}

/** Writes one server's records to the catalog, in order and in the background. A catalog must not throw; if one does, that is only logged. */
export class CatalogWriter {
  readonly #server: StoredServer;
  readonly #place: CatalogPlace;
  /** How many writes are under way. */
  #writes = 0;
  /** What was begun before under the server's identity. */
  #acting: Promise<unknown> | undefined;
  /** The last update of the catalog, and those before it. */
  #updating: Promise<unknown> | undefined;

  constructor(server: StoredServer, place: CatalogPlace) {
    this.#server = server;
    this.#place = place;
  }

  /**
   * Does something under the identity of the server as it is reached now, in the order of these calls. The call is skipped if there is no
   * catalog, or it does not keep the server.
   */
  identified(act: (identity: CatalogIdentity) => void): void {
    const { cache, auth } = this.#place;
    const { definition, principal, resolved } = this.#server;
    if (resolved === undefined || cache === undefined || !this.#place.isCurrent()) return;
    const identifying = identifyServer(definition, resolved, { cache, auth, principal });
    const acting = Promise.all([identifying, this.#acting]).then(([identity]) => {
      if (identity !== undefined) act(identity);
      return this.#updating; // A close waits for what was begun here, too.
    });
    this.#acting = this.#inBackground(acting);
  }

  /** Whether the catalog may not hold yet what this server has to say. */
  get isBusy(): boolean {
    return this.#writes > 0;
  }

  store({ identity, entry }: StorableRecord): void {
    this.#update(async (cache) => {
      const mayStore = this.#place.values.mayStore(entry);
      if (mayStore === true || (await mayStore)) await cache.set(identity.id, entry);
    });
  }

  markStale({ id }: CatalogIdentity): void {
    this.#update((cache) => cache.markStale(id));
  }

  delete({ id }: CatalogIdentity): void {
    this.#update((cache) => cache.delete(id));
  }

  #update(update: (cache: ToolCache) => Promise<void>): void {
    const { cache } = this.#place;
    if (cache === undefined || !this.#place.isCurrent()) return;
    // One after the other: a large record takes a while to be checked, and must not come after what deletes it.
    const before = this.#updating;
    const updating = (async () => {
      if (before !== undefined) await before;
      await update(cache);
    })();
    this.#updating = this.#inBackground(updating);
  }

  #inBackground(work: Promise<unknown>): Promise<unknown> {
    const { background, log } = this.#place;
    const contained = work.catch((error: unknown) =>
      log("warn", "The catalog could not be updated for a server.", {
        server: this.#server.definition.name,
        error: thrownText(error),
      }),
    );
    this.#writes += 1;
    void contained.then(() => {
      this.#writes -= 1;
    });
    background.add(contained);
    return contained;
  }
}

type Writes = Pick<CatalogWriter, "identified" | "store" | "markStale" | "delete" | "isBusy">;

/**
 * One server's catalog record, kept up to date. A list is stored for the account as which it was listed, which may be another one than at
 * the start: values are filled in anew for each attempt, and a person may have logged in since.
 */
export class CatalogMemory {
  readonly #server: string;
  readonly #writer: Writes;
  #record: CatalogRecord | undefined;
  /** The earlier handshake, for the next connection. */
  prior: PriorHandshake | undefined;
  #attemptedAt = Date.now();
  /** The listing that the catalog held when it was last read, epoch milliseconds by some machine's clock. */
  #readListing: number | undefined;
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

  constructor(server: string, writer: Writes) {
    this.#server = server;
    this.#writer = writer;
  }

  get verdict(): CatalogVerdict {
    return this.#record?.verdict ?? NOTHING_KNOWN;
  }

  /** The catalog entry, if there is one. */
  get entry(): CatalogEntry | undefined {
    return this.#record?.entry;
  }

  /**
   * Takes the catalog's record, unless the server itself has listed its tools, which is newer, or has refused its credentials.
   *
   * @returns whether it was taken
   */
  take(record: CatalogRecord | undefined): boolean {
    if (this.#isListed) return false;
    if (record !== undefined && this.#isRefused) {
      this.#writer.delete(record.identity);
      return false;
    }
    this.#record = record;
    this.#readListing = record?.entry?.listedAt;
    this.prior ??= record?.entry?.prior;
    this.#keepContextLists();
    return true;
  }

  /** The id under which it was stored or looked up last. */
  get id(): CatalogId | undefined {
    return this.#record?.identity.id;
  }

  /**
   * Takes an entry of the same id that another process has written. Which of two is newer the catalog has decided: what it holds and what is
   * neither known nor written here is newer, whatever the clocks say.
   *
   * @returns whether it was taken
   */
  takeNewer(entry: CatalogEntry): boolean {
    const record = this.#record;
    if (record === undefined || entry.tools === undefined || this.#writer.isBusy) return false;
    if (entry.listedAt === record.entry?.listedAt || entry.listedAt === this.#readListing) return false;
    this.#readListing = entry.listedAt;
    this.#record = { ...record, entry };
    this.prior = entry.prior;
    return true;
  }

  /** An attempt to connect the server begins. What it takes is counted from here. */
  attempted(): void {
    this.#attemptedAt = Date.now();
    this.#tookMs = undefined;
  }

  /** The tools were listed. Later lists and failures of the same session do not change how long the attempt took. */
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

  /** Another list was loaded. It is stored as soon as the entry has tools, and not without them. */
  contextListed<K extends ContextKind>(kind: K, items: readonly CatalogItems[K][]): void {
    this.#contextLists = { ...this.#contextLists, [kind]: items };
    this.#keepContextLists();
  }

  /** The server announced a change: the entry is stale until a list that was requested later is loaded. */
  markStale(): void {
    this.#changeAnnouncedAt = Date.now();
    const record = this.#record;
    if (record?.entry === undefined || record.entry.stale === true) return; // A burst of changes is one mark.
    this.#record = { ...record, entry: { ...record.entry, stale: true } };
    this.#writer.markStale(record.identity);
  }

  /** An attempt to connect the server, or to list it for the first time, failed. One that was given up did not. */
  failed(error: McpError): void {
    if (error.code === "MCP_ABORTED") return;
    this.#tookMs ??= Date.now() - this.#attemptedAt;
    const failed = { error, at: Date.now(), tookMs: this.#tookMs };
    this.#keep(({ entry, identity }) => failedEntry(entry, this.#server, identity, failed));
  }

  /** The server refused its credentials: what the catalog knows of it is forgotten, and deleted. */
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

  /** Forgets the handshake for the next connection: a session that ended before it listed anything may have used an outdated one. */
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
