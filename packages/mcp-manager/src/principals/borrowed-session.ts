import { McpError, type Session } from "@jackfield/mcp-core";

/**
 * A session of somebody else's, as one's own: closing it ends nothing but the borrowing, and it ends when the lender's does. What
 * several users ask of one server goes over one connection then.
 */
export function borrowSession(session: Session): Session {
  return new BorrowedSession(session);
}

class BorrowedSession implements Session {
  readonly #session: Session;
  readonly #stops = new Set<() => void>();
  readonly #closeListeners = new Set<(cause?: McpError) => void>();
  #isClosed = false;

  constructor(session: Session) {
    this.#session = session;
  }

  get handshake(): Session["handshake"] {
    return this.#session.handshake;
  }

  list: Session["list"] = async (kind, options) => {
    this.#refuseIfClosed();
    return this.#session.list(kind, options);
  };

  request: Session["request"] = async (method, params, options) => {
    this.#refuseIfClosed();
    return this.#session.request(method, params, options);
  };

  onNotification: Session["onNotification"] = (listener) =>
    this.#untilClosed(this.#session.onNotification(listener));

  onRenewed: Session["onRenewed"] = (listener) => this.#untilClosed(this.#session.onRenewed(listener));

  onClose(listener: (cause?: McpError) => void): () => void {
    if (this.#isClosed) {
      listener();
      return () => {};
    }
    this.#closeListeners.add(listener);
    const stop = this.#untilClosed(this.#session.onClose(listener));
    return () => {
      this.#closeListeners.delete(listener);
      stop();
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    for (const listener of this.#closeListeners) listener();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #untilClosed(stop: () => void): () => void {
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }

  #refuseIfClosed(): void {
    if (!this.#isClosed) return;
    throw new McpError("MCP_CLOSED", "The session was given back; nothing was sent.", {
      outcome: "not-sent",
    });
  }
}
