import { McpError, type Session, type SessionParams } from "@jackfield/mcp-core";
import { type LentSession, REPORT_LOSS } from "../server/watched-session.ts";

/** What the lender does on behalf of its borrowers, which would otherwise interfere with each other. */
export interface Lending {
  /** Lists once for all borrowers that ask at the same time. */
  readonly list: Session["list"];
  /**
   * Subscribes to a resource for the lender, until the returned function is called. A server has one subscription per resource and
   * session, so the lender counts the borrowers: one that unsubscribes must not end it for the others.
   */
  watch(uri: string): Promise<() => Promise<void>>;
  /** A borrower found the session to be lost: the lender closes it, so that other borrowers need not find out and it is not lent again. */
  reportLoss(error: McpError): void;
  /** Whether any user has calls or other requests under way on the session. */
  isUsed(): boolean;
  /** Whether the lender closed the session because nobody used it. */
  isIdle(): boolean;
}

/**
 * Wraps another user's session: closing it ends only the borrowing, and it ends when the lender's session does. What several users ask
 * of one server then goes over one connection.
 */
export function borrowSession(session: Session, lending: Lending): Session {
  return new BorrowedSession(session, lending);
}

class BorrowedSession implements LentSession {
  readonly #session: Session;
  readonly #lending: Lending;
  readonly #stops = new Set<() => void>();
  /** Ends each of this borrower's subscriptions, by URI. */
  readonly #watched = new Map<string, Promise<() => Promise<void>>>();
  readonly #closeListeners = new Set<(cause?: McpError) => void>();
  #end: { readonly cause: McpError | undefined } | undefined;

  constructor(session: Session, lending: Lending) {
    this.#session = session;
    this.#lending = lending;
    const stop = session.onClose((cause) => void this.#finish(cause));
    if (this.#end === undefined) this.#stops.add(stop);
  }

  get handshake(): Session["handshake"] {
    return this.#session.handshake;
  }

  get isUsed(): boolean {
    return this.#lending.isUsed();
  }

  get isIdle(): boolean {
    return this.#lending.isIdle();
  }

  list: Session["list"] = async (kind, options) => {
    this.#refuseIfEnded();
    return this.#lending.list(kind, options);
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
    this.#lending.reportLoss(error);
  }

  async close(): Promise<void> {
    await this.#finish(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #subscribe(uri: string) {
    const watching = this.#watched.get(uri) ?? this.#lending.watch(uri);
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
      if (!this.#lending.isIdle()) return;
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
