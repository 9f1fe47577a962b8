import type {
  CatalogEntry,
  CatalogIdentity,
  CatalogItems,
  CatalogKind,
  Handshake,
  McpError,
  PriorHandshake,
} from "@jackfield/mcp-core";
import {
  type CatalogShelf,
  type CatalogVerdict,
  failedEntry,
  listedEntry,
  NOTHING_KNOWN,
} from "./catalog-record.ts";
import type { DatedListing } from "./list-kind.ts";

/** What a server lists besides tools. */
type BesideTools = Exclude<CatalogKind, "tools">;

/** A shelf that is to be stored. */
export type FilledShelf = CatalogShelf & { readonly entry: CatalogEntry };

/** What the catalog knows of one server, and is told. Without a shelf it knows nothing and is told nothing. */
export interface CatalogMemory {
  readonly verdict: CatalogVerdict;
  /** What to hand back when the server is connected again. */
  readonly prior: PriorHandshake | undefined;
  take(shelf: CatalogShelf | undefined): void;
  /** The server was listed: `tookMs` since its attempt began. */
  listed(handshake: Handshake, listing: DatedListing<"tools">, tookMs: number): void;
  /** Another list of the server is in. It is kept with the tools, and not without them. */
  listedBesides<K extends BesideTools>(kind: K, items: readonly CatalogItems[K][]): void;
  /** The server says that its list is another now: what is known is stale until a list that was begun later is in. */
  doubt(): void;
  /** An attempt to reach the server failed. */
  failed(error: McpError, tookMs: number): void;
  /** A session that ended before it listed anything may rest on a handshake that no longer holds: shake hands anew. */
  forgetHandshake(): void;
}

/** How the catalog is told. */
export interface CatalogTelling {
  readonly store: (shelf: FilledShelf) => void;
  readonly doubted: (identity: CatalogIdentity) => void;
}

export function createCatalogMemory(server: string, { store, doubted }: CatalogTelling): CatalogMemory {
  let shelf: CatalogShelf | undefined;
  /** Epoch milliseconds. */
  let doubtedAt = 0;

  function keep(write: (held: CatalogShelf) => CatalogEntry): void {
    if (shelf === undefined) return;
    const filled = { ...shelf, entry: write(shelf) };
    shelf = filled;
    store(filled);
  }

  return {
    get verdict() {
      return shelf?.verdict ?? NOTHING_KNOWN;
    },
    get prior() {
      return shelf?.entry?.prior;
    },
    take(given) {
      shelf = given;
    },
    listed(handshake, listing, tookMs) {
      const outcome = { ok: true, at: Date.now(), tookMs };
      const seen = { handshake, listing, outcome, doubtedAt };
      keep(({ entry, identity }) => listedEntry(entry, server, identity, seen));
    },
    listedBesides(kind, items) {
      if (shelf?.entry?.tools !== undefined)
        keep(({ entry }) => ({ ...(entry as CatalogEntry), [kind]: items }));
    },
    doubt() {
      doubtedAt = Date.now();
      if (shelf?.entry === undefined || shelf.entry.stale === true) return; // A burst of changes is one mark.
      shelf = { ...shelf, entry: { ...shelf.entry, stale: true } };
      doubted(shelf.identity);
    },
    failed(error, tookMs) {
      if (error.code === "MCP_ABORTED") return;
      keep(({ entry, identity }) => failedEntry(entry, server, identity, { error, at: Date.now(), tookMs }));
    },
    forgetHandshake() {
      if (shelf?.entry !== undefined) shelf = { ...shelf, entry: { ...shelf.entry, prior: undefined } };
    },
  };
}
