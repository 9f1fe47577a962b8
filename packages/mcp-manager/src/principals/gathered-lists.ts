import { type CatalogKind, type Listing, raceSignal, type Session } from "@jackfield/mcp-core";

/** Lists over sessions that several users share. */
export type GatheredLists = (session: Session) => Session["list"];

interface Gathering {
  readonly listing: Promise<Listing>;
  /** How many callers still wait for it. */
  waiting: number;
  /** Cancels it. */
  readonly abort: AbortController;
}

/**
 * Combines what many users of one session ask for in the same turn into one request: all of them hear at once that a list has changed.
 * The request is sent after the last of those calls, so the list is current for each.
 */
export function createGatheredLists(): GatheredLists {
  const listsOf = new WeakMap<Session, Session["list"]>();
  return (session) => {
    const known = listsOf.get(session) ?? gatheredList(session);
    listsOf.set(session, known);
    return known;
  };
}

function gatheredList(session: Session): Session["list"] {
  const gatherings = new Map<CatalogKind, Gathering>();

  function begin(kind: CatalogKind): Gathering {
    const abort = new AbortController();
    const listing = Promise.resolve().then(() => {
      gatherings.delete(kind);
      return session.list(kind, { signal: abort.signal });
    });
    listing.catch(() => {}); // Callers that gave up do not handle its rejection.
    const gathering = { listing, waiting: 0, abort };
    gatherings.set(kind, gathering);
    return gathering;
  }

  return async <K extends CatalogKind>(kind: K, { signal }: { readonly signal: AbortSignal }) => {
    const gathering = gatherings.get(kind) ?? begin(kind);
    gathering.waiting += 1;
    try {
      return (await raceSignal(gathering.listing, signal)) as Listing as Listing<K>;
    } finally {
      gathering.waiting -= 1;
      if (gathering.waiting === 0) gathering.abort.abort();
    }
  };
}
