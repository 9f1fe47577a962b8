import {
  type CatalogKind,
  type Connector,
  createDeadline,
  type Deadline,
  type Listing,
  McpError,
  raceSignal,
  type Session,
  type SessionParams,
} from "@jackfield/mcp-core";
import type { ManagedServer } from "./server/managed-server.ts";
import { type LentSession, REPORT_LOSS, type WatchedSession } from "./server/watched-session.ts";

/** A server whose session is lent. */
export type Lender = Pick<ManagedServer, "openSession" | "reportLoss"> & {
  session(deadline: Deadline): Promise<Session & Pick<WatchedSession, "isIdle">>;
  readonly context: Pick<ManagedServer["context"], "subscribe">;
};

/**
 * Makes connectors for the users of a manager: for a shared server each borrows the lender's session, and waits for it if it is not open;
 * for all others it opens one.
 *
 * @param connect - opens the sessions that are not lent
 * @param lender - the lender's server of this name, if its sessions are lent. @throws McpError `MCP_CLOSED` if the lender is closed
 */
export function lendingConnector(
  connect: Connector,
  lender: (server: string) => Lender | undefined,
): Connector {
  /** Lists over the lent sessions, for all users together. */
  const lists = new WeakMap<Session, Session["list"]>();
  return async (server, options) => {
    const lent = lender(server.name);
    if (lent === undefined) return connect(server, options);
    // The wait has no time limit of its own: it ends with the lender's attempt, or when the session is no longer wanted.
    using deadline = abortable(
      options.signal,
      `Connecting to server "${server.name}" was aborted.`,
      server.name,
    );
    const session = await lent.session(deadline);
    const list = lists.get(session) ?? gatheredList(session);
    lists.set(session, list);
    return new BorrowedSession(session, lent, list);
  };
}

/** A server whose session is borrowed. */
export type Borrower = Pick<ManagedServer, "definition" | "dropped" | "reconnect" | "snapshot">;

/**
 * Reconnects a borrower whose lender is ready, if it gave up while there was nothing to borrow. A borrower that is well, or was
 * disconnected on purpose, is left alone.
 *
 * @param stop - fires when the borrower's run ends
 */
export async function bringBack(borrower: Borrower, stop: AbortSignal): Promise<void> {
  const { shared, name } = borrower.definition;
  const { status } = borrower.snapshot();
  const hasGivenUp = status === "failed" || status === "backoff" || borrower.dropped !== undefined;
  if (shared !== true || !hasGivenUp) return;
  using deadline = abortable(stop, `Reconnecting server "${name}" was aborted.`, name);
  await borrower.reconnect(deadline).catch(() => {}); // The server reports the failure itself.
}

function abortable(signal: AbortSignal, message: string, server: string): Deadline {
  const gaveUp = () => new McpError("MCP_ABORTED", message, { server });
  return createDeadline({ signal, timeoutMs: 0, aborted: gaveUp, expired: gaveUp });
}

/**
 * Another user's session: closing it ends only the borrowing, and it ends when the lender's session does. What several users ask of one
 * server then goes over one connection.
 */
class BorrowedSession implements LentSession {
  readonly #session: Session & Pick<WatchedSession, "isIdle">;
  readonly #lender: Lender;
  readonly #list: Session["list"];
  readonly #stops = new Set<() => void>();
  /** Ends each of this borrower's subscriptions, by URI. */
  readonly #watched = new Map<string, Promise<() => Promise<void>>>();
  readonly #closeListeners = new Set<(cause?: McpError) => void>();
  #end: { readonly cause: McpError | undefined } | undefined;

  constructor(session: Session & Pick<WatchedSession, "isIdle">, lender: Lender, list: Session["list"]) {
    this.#session = session;
    this.#lender = lender;
    this.#list = list;
    const stop = session.onClose((cause) => void this.#finish(cause));
    if (this.#end === undefined) this.#stops.add(stop);
  }

  get handshake(): Session["handshake"] {
    return this.#session.handshake;
  }

  get isUsed(): boolean {
    return this.#lender.openSession?.isUsed === true; // A replaced session has ended for its borrowers, too.
  }

  get isIdle(): boolean {
    return this.#session.isIdle;
  }

  list: Session["list"] = async (kind, options) => {
    this.#refuseIfEnded();
    return this.#list(kind, options);
  };

  request: Session["request"] = async (method, params, options) => {
    this.#refuseIfEnded();
    if (method === "resources/subscribe") return this.#subscribe(uriOf(params));
    if (method === "resources/unsubscribe") return this.#unsubscribe(uriOf(params));
    return this.#session.request(method, params, options);
  };

  onNotification: Session["onNotification"] = (listener) =>
    this.#untilClosed(this.#session.onNotification(listener));

  onRenewed: Session["onRenewed"] = (listener) => this.#untilClosed(this.#session.onRenewed(listener));

  onClose(listener: (cause?: McpError) => void): () => void {
    if (this.#end !== undefined) {
      listener(this.#end.cause);
      return () => {};
    }
    const own = (cause?: McpError) => listener(cause);
    this.#closeListeners.add(own);
    return () => void this.#closeListeners.delete(own);
  }

  [REPORT_LOSS](error: McpError): void {
    this.#lender.reportLoss(this.#session, error);
  }

  async close(): Promise<void> {
    await this.#finish(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Subscribes for the lender, until the returned function is called. A server has one subscription per resource and session, so the
   * lender counts the borrowers: one that unsubscribes must not end it for the others.
   */
  #watch(uri: string): Promise<() => Promise<void>> {
    return this.#lender.context.subscribe(this.#session, uri, () => {});
  }

  async #subscribe(uri: string) {
    const watching = this.#watched.get(uri) ?? this.#watch(uri);
    this.#watched.set(uri, watching);
    await watching.catch((error: unknown) => {
      this.#watched.delete(uri);
      throw error;
    });
    return {};
  }

  async #unsubscribe(uri: string) {
    const watching = this.#watched.get(uri);
    this.#watched.delete(uri);
    await (await watching)?.();
    return {};
  }

  #untilClosed(stop: () => void): () => void {
    if (this.#end !== undefined) stop();
    else this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }

  /** Ends this borrower's subscriptions also after a loss, because the lender goes on and would renew them. */
  #finish(cause: McpError | undefined): Promise<unknown> {
    if (this.#end !== undefined) return Promise.resolve();
    this.#end = { cause };
    const watched = [...this.#watched.values()];
    this.#watched.clear();
    for (const stop of this.#stops) stop();
    for (const listener of [...this.#closeListeners]) listener(cause);
    this.#closeListeners.clear();
    return Promise.allSettled(watched.map(async (stop) => (await stop)()));
  }

  #refuseIfEnded(): void {
    if (this.#end === undefined) {
      if (!this.isIdle) return;
      // The lender's session reports its end only when its process has ended. The request is repeated on the next session.
      void this.#finish(undefined);
      throw new McpError(
        "MCP_SESSION_LOST",
        "The shared session was idle and is closing; nothing was sent.",
        {
          outcome: "not-sent",
        },
      );
    }
    const { cause } = this.#end;
    if (cause !== undefined)
      throw new McpError("MCP_SESSION_LOST", `The shared session was lost: ${cause.message}`, {
        server: cause.server,
        outcome: "not-sent",
        cause,
      });
    throw new McpError("MCP_CLOSED", "The shared session was released; nothing was sent.", {
      outcome: "not-sent",
    });
  }
}

function uriOf(params: unknown): string {
  return (params as SessionParams<"resources/subscribe">).uri;
}

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
