import type { CatalogEntry, Handshake, Listing, McpError, PriorHandshake } from "@jackfield/mcp-core";
import {
  type CatalogShelf,
  type CatalogVerdict,
  failedEntry,
  listedEntry,
  NOTHING_KNOWN,
} from "./catalog-record.ts";

/** A shelf that is to be stored. */
export type FilledShelf = CatalogShelf & { readonly entry: CatalogEntry };

/** What the catalog knows of one server, and is told. Without a shelf it knows nothing and is told nothing. */
export interface CatalogMemory {
  readonly verdict: CatalogVerdict;
  /** What to hand back when the server is connected again. */
  readonly prior: PriorHandshake | undefined;
  take(shelf: CatalogShelf | undefined): void;
  /** The server was listed: `tookMs` since its attempt began. */
  listed(handshake: Handshake, listing: Listing<"tools">, tookMs: number): void;
  /** An attempt to reach the server failed. */
  failed(error: McpError, tookMs: number): void;
  /** A session that ended before it listed anything may rest on a handshake that no longer holds: shake hands anew. */
  forgetHandshake(): void;
}

/** @param store - tells the catalog */
export function createCatalogMemory(server: string, store: (shelf: FilledShelf) => void): CatalogMemory {
  let shelf: CatalogShelf | undefined;

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
      keep(({ entry, identity }) => listedEntry(entry, server, identity, { handshake, listing, outcome }));
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
