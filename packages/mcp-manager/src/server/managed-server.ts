import {
  type CatalogEntry,
  DEFAULT_LIMITS,
  type ErrorReport,
  type Listing,
  McpError,
  type ServerDefinition,
  type ServerNotification,
  type ServerSnapshot,
  type ServerStatus,
  type Session,
  type ToolDefinition,
} from "@jackfield/mcp-core";
import { createDeadline, type Deadline, raceSignal } from "../deadline.ts";
import {
  type CatalogShelf,
  type CatalogVerdict,
  failedEntry,
  listedEntry,
  NOTHING_KNOWN,
} from "./catalog-record.ts";
import { type Connection, type ConnectionOptions, createConnection } from "./connection.ts";
import type { ServerState } from "./state.ts";
import { createToolLoader, type ToolLoader } from "./tool-loader.ts";

/** What one server tells the directory it belongs to. */
export interface ManagedServerHooks {
  /** These are the server's tools now. */
  readonly offer: (tools: readonly ToolDefinition[], origin: "live" | "cache") => void;
  /** The server was disconnected on purpose: nothing of it is to be offered. */
  readonly withdraw: () => void;
  /** How many of its tools are on offer. */
  readonly offered: () => number;
  readonly statusChanged: (before: ServerStatus) => void;
  readonly notified: (notification: ServerNotification) => void;
  /** Something failed that nobody is waiting for. */
  readonly troubled: (error: McpError) => void;
  /** The catalog should know this. */
  readonly store: (shelf: CatalogShelf & { readonly entry: CatalogEntry }) => void;
}

export interface ManagedServerOptions extends Omit<ConnectionOptions, "prior" | "changed"> {
  readonly hooks: ManagedServerHooks;
}

/** One server: its connection, its tools, and what the catalog knows of it. */
export interface ManagedServer {
  readonly definition: ServerDefinition;
  readonly verdict: CatalogVerdict;
  /** Resolves at the first success or the first failure, and does not wait for retries. */
  readonly settled: Promise<void>;
  readonly error: McpError | undefined;
  snapshot(): ServerSnapshot;
  /** Takes what the catalog knows, before the first connection. */
  recall(shelf: CatalogShelf | undefined): void;
  wake(): void;
  session(deadline: Deadline): Promise<Session>;
  /** Waits for a live tool list, connecting if need be. */
  ensureTools(deadline: Deadline): Promise<void>;
  /** Lists the tools anew, connecting if need be. */
  refreshTools(deadline: Deadline): Promise<void>;
  reconnect(deadline: Deadline): Promise<void>;
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

export function createManagedServer(options: ManagedServerOptions): ManagedServer {
  return new Server(options);
}

class Server implements ManagedServer {
  readonly definition: ServerDefinition;
  readonly #hooks: ManagedServerHooks;
  readonly #connection: Connection;
  readonly #loader: ToolLoader;
  readonly #settled = Promise.withResolvers<void>();
  #shelf: CatalogShelf | undefined;
  #tools: readonly ToolDefinition[] = [];
  #since = Date.now();
  /** The last failure, until a session proves it past or nobody wants one any more. */
  #trouble: { readonly error: McpError; readonly at: number } | undefined;

  constructor({ hooks, ...options }: ManagedServerOptions) {
    this.definition = options.definition;
    this.#hooks = hooks;
    this.#connection = createConnection({
      ...options,
      prior: () => this.#shelf?.entry?.prior,
      changed: (before, after) => this.#changed(before, after),
    });
    this.#loader = createToolLoader({
      server: this.definition.name,
      list: (session) => this.#list(session),
      loaded: (session, listing) => this.#loaded(session, listing),
      failed: (error) => this.#listFailed(error),
    });
  }

  get verdict(): CatalogVerdict {
    return this.#shelf?.verdict ?? NOTHING_KNOWN;
  }

  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  get error(): McpError | undefined {
    return this.#trouble?.error;
  }

  snapshot(): ServerSnapshot {
    const { name, transport, definedIn } = this.definition;
    const { state } = this.#connection;
    const base = {
      name,
      transport,
      definedIn,
      status: state.status,
      since: this.#since,
      error: this.#errorReport(),
    };
    return {
      ...base,
      retryAt: state.status === "backoff" ? state.retryAt : undefined,
      tools: this.#hooks.offered(),
      toolsFrom: this.#toolsFrom(),
      era: state.status === "ready" ? state.session.handshake.era : this.#shelf?.entry?.prior?.era,
    };
  }

  recall(shelf: CatalogShelf | undefined): void {
    if (this.#loader.state.status === "live") return; // A call woke the server before start-up got here.
    this.#shelf = shelf;
    if (shelf?.entry?.tools === undefined) return;
    this.#tools = shelf.entry.tools;
    this.#hooks.offer(this.#tools, "cache");
  }

  wake(): void {
    this.#connection.wake();
  }

  session(deadline: Deadline): Promise<Session> {
    return this.#connection.session(deadline);
  }

  async ensureTools(deadline: Deadline): Promise<void> {
    const session = await this.#connection.session(deadline);
    await raceSignal(this.#loader.settle(session), deadline.signal);
    if (this.#loader.state.status === "failed") throw this.#loader.state.error;
  }

  async refreshTools(deadline: Deadline): Promise<void> {
    const session = await this.#connection.session(deadline);
    await raceSignal(this.#loader.load(session), deadline.signal);
    if (this.#loader.state.status === "failed") throw this.#loader.state.error;
  }

  async reconnect({ signal }: Deadline): Promise<void> {
    await this.#connection.reconnect(signal);
  }

  async disconnect(): Promise<void> {
    await this.#connection.release(true);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  #changed(before: ServerState, after: ServerState): void {
    const now = Date.now();
    const since = this.#since;
    this.#since = now;
    if (before.status === "ready") this.#sessionGone();
    if (after.status === "ready") this.#sessionOpened(after.session);
    if (after.status === "ready" || after.status === "idle") this.#trouble = undefined;
    if (after.status === "idle" && after.disconnected) this.#hooks.withdraw();
    if (after.status === "backoff" || after.status === "failed") {
      this.#trouble = { error: after.error, at: now };
      if (before.status === "connecting") this.#rememberFailure(after.error, now, now - since);
      this.#hooks.troubled(after.error);
    }
    if (after.status !== "connecting" && after.status !== "ready") this.#settled.resolve();
    this.#hooks.statusChanged(before.status);
  }

  #sessionOpened(session: Session): void {
    session.onNotification((notification) => {
      if (notification.method === "notifications/tools/list_changed") void this.#loader.load(session);
      this.#hooks.notified(notification);
    });
    session.onRenewed(() => void this.#loader.load(session));
    void this.#loader.load(session);
  }

  /** The tools stay on offer: a call waits for the next connection. */
  #sessionGone(): void {
    if (this.#loader.state.status === "live") this.#hooks.offer(this.#tools, "cache");
    else this.#forgetHandshake();
    this.#loader.reset();
  }

  /** A session that ended before it listed anything may rest on a handshake that no longer holds: shake hands anew. */
  #forgetHandshake(): void {
    if (this.#shelf?.entry === undefined) return;
    this.#shelf = { ...this.#shelf, entry: { ...this.#shelf.entry, prior: undefined } };
  }

  async #list(session: Session): Promise<Listing<"tools">> {
    const { name, limits } = this.definition;
    const timeoutMs = limits?.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
    const expired = () => {
      const message = `Server "${name}" did not list its tools within ${timeoutMs} ms; raise callTimeoutMs or check the server.`;
      return new McpError("MCP_CALL_TIMEOUT", message, { server: name, phase: "list" });
    };
    using deadline = createDeadline({ timeoutMs, aborted: expired, expired });
    try {
      return await session.list("tools", { signal: deadline.signal });
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : error;
    }
  }

  #loaded({ handshake }: Session, listing: Listing<"tools">): void {
    const at = Date.now();
    this.#tools = listing.items;
    this.#trouble = undefined;
    this.#hooks.offer(this.#tools, "live");
    if (this.#shelf !== undefined) {
      const { entry, identity } = this.#shelf;
      const outcome = { ok: true, at, tookMs: at - this.#since };
      this.#store(listedEntry(entry, this.definition.name, identity, { handshake, listing, outcome }));
    }
    this.#settled.resolve();
  }

  #listFailed(error: McpError): void {
    this.#trouble = { error, at: Date.now() };
    this.#hooks.troubled(error);
    this.#settled.resolve();
  }

  #rememberFailure(error: McpError, at: number, tookMs: number): void {
    if (this.#shelf === undefined || error.code === "MCP_ABORTED") return;
    const { entry, identity } = this.#shelf;
    this.#store(failedEntry(entry, this.definition.name, identity, { error, at, tookMs }));
  }

  #store(entry: CatalogEntry): void {
    if (this.#shelf === undefined) return;
    const shelf = { ...this.#shelf, entry };
    this.#shelf = shelf;
    this.#hooks.store(shelf);
  }

  #toolsFrom(): ServerSnapshot["toolsFrom"] {
    if (this.#loader.state.status === "live") return "live";
    if (this.#tools.length === 0) return "none";
    return this.verdict.freshness === "stale" ? "stale" : "cache";
  }

  #errorReport(): ErrorReport | undefined {
    if (this.#trouble === undefined) return undefined;
    const { error, at } = this.#trouble;
    return { code: error.code, message: error.message, at, stderr: error.stderr };
  }
}
