import { McpError, type Session } from "@jackfield/mcp-core";

export interface RenewableSessionOptions {
  /** The server's name. */
  readonly server: string;
  /** Whether an error says that the server refused the values with which the session was opened. */
  readonly isRefusal: (error: unknown) => boolean;
  /** Called on each refusal, before callers and listeners learn of it. */
  readonly refuse: () => void;
}

/**
 * A session that ends when the server refuses the values it was opened with, so that the next one is opened with others. Requests in flight
 * were accepted and finish first; nothing more is sent meanwhile, because that would offer the values again.
 */
export function createRenewableSession(session: Session, options: RenewableSessionOptions): Session {
  return new RenewableSession(session, options);
}

class RenewableSession implements Session {
  readonly #session: Session;
  readonly #options: RenewableSessionOptions;
  readonly #closeListeners = new Set<(cause?: McpError) => void>();
  #inFlight = 0;
  #refusal: unknown;
  #end: { readonly cause: McpError | undefined } | undefined;

  constructor(session: Session, options: RenewableSessionOptions) {
    this.#session = session;
    this.#options = options;
    session.onClose((cause) => {
      if (options.isRefusal(cause)) options.refuse();
      this.#finish(cause);
    });
  }

  get handshake(): Session["handshake"] {
    return this.#session.handshake;
  }

  list: Session["list"] = (kind, options) => this.#send(() => this.#session.list(kind, options));

  request: Session["request"] = (method, params, options) =>
    this.#send(() => this.#session.request(method, params, options));

  onNotification: Session["onNotification"] = (listener) => this.#session.onNotification(listener);

  onRenewed: Session["onRenewed"] = (listener) => this.#session.onRenewed(listener);

  onClose(listener: (cause?: McpError) => void): () => void {
    if (this.#end !== undefined) {
      listener(this.#end.cause);
      return () => {};
    }
    const own = (cause?: McpError) => listener(cause);
    this.#closeListeners.add(own);
    return () => void this.#closeListeners.delete(own);
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #send<T>(send: () => Promise<T>): Promise<T> {
    if (this.#refusal !== undefined && this.#end === undefined) throw this.#refusedError("MCP_AUTH_REQUIRED");
    this.#inFlight += 1;
    try {
      return await send();
    } catch (error) {
      if (this.#options.isRefusal(error)) {
        this.#refusal ??= error;
        this.#options.refuse();
      }
      throw error;
    } finally {
      this.#inFlight -= 1;
      if (this.#refusal !== undefined && this.#inFlight === 0) this.#lose();
    }
  }

  #lose(): void {
    if (this.#end !== undefined) return;
    this.#finish(this.#refusedError("MCP_SESSION_LOST"));
    // The listener closes the session as well, and handles an error of that.
    this.#session.close().catch(() => {});
  }

  #finish(cause: McpError | undefined): void {
    if (this.#end !== undefined) return;
    this.#end = { cause };
    for (const listener of [...this.#closeListeners]) listener(cause);
    this.#closeListeners.clear();
  }

  #refusedError(code: "MCP_AUTH_REQUIRED" | "MCP_SESSION_LOST"): McpError {
    const { server } = this.#options;
    const message = `Server ${JSON.stringify(server)} refused the values that the commands of its entry printed (HTTP 401); the next session runs them again. Try again then.`;
    return new McpError(code, message, { server, phase: "call", outcome: "not-sent", cause: this.#refusal });
  }
}
