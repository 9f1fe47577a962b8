import {
  type CatalogKind,
  type Deadline,
  type ErrorReport,
  isMcpError,
  type McpError,
  type PriorHandshake,
  type ResolvedServer,
  type ServerDefinition,
  type ServerSnapshot,
  type Session,
} from "@jackfield/mcp-core";
import { createServerContext, type ServerContext } from "../context/server-context.ts";
import { awaitList, listedSession } from "./awaited-tools.ts";
import { type CatalogMemory, createCatalogMemory } from "./catalog-memory.ts";
import type { CatalogRecord, CatalogVerdict } from "./catalog-record.ts";
import { type Connection, type ConnectionSubject, createConnection } from "./connection.ts";
import { type Heartbeat, heartbeatFor, type PingRecord } from "./heartbeat.ts";
import { boundedEntry, cutAdvice, type DatedListing, listKind } from "./list-kind.ts";
import type { ServerHooks } from "./server-hooks.ts";
import type { ServerSettings } from "./server-settings.ts";
import { createServerTools, type ServerTools, type ServerToolsSubject } from "./server-tools.ts";
import { attendSession, type SessionAttendantOptions } from "./session-attendant.ts";
import type { ServerState } from "./state.ts";
import type { CallCounts, WatchedSession } from "./watched-session.ts";

export interface ManagedServerOptions {
  readonly definition: ServerDefinition;
  /** The user of the manager; `undefined` for the owner. */
  readonly principal: string | undefined;
  /** The closing of a replaced server of this name; the first attempt waits for it. */
  readonly predecessor: Promise<unknown> | undefined;
  readonly settings: ServerSettings;
  readonly hooks: ServerHooks;
}

/** One server: its connection, its tools and what else it offers, and what the catalog knows of it. */
export interface ManagedServer {
  readonly definition: ServerDefinition;
  /** The user of the manager; `undefined` for the owner. */
  readonly principal: string | undefined;
  readonly context: ServerContext;
  readonly verdict: CatalogVerdict;
  /** Resolves at the first success or the first failure, and does not wait for retries. */
  readonly settled: Promise<void>;
  readonly error: McpError | undefined;
  /** Why it was dropped, if it was. */
  readonly dropped: McpError | undefined;
  snapshot(): ServerSnapshot;
  /** Takes the catalog's record; what the server itself has said is newer. */
  recall(record: CatalogRecord | undefined): void;
  /** Takes a definition with changed settings only: limits hold from now on. */
  redefine(definition: ServerDefinition): void;
  wake(): void;
  /** Whether the session was renewed and has not listed its tools since. */
  readonly isRelisting: boolean;
  /** The session while the server is ready: a call that need not wait needs no deadline. */
  readonly openSession: WatchedSession | undefined;
  session(deadline: Deadline): Promise<WatchedSession>;
  /** Resolves at the next change of its state. */
  nextState(): Promise<ServerState>;
  /** Reports a session that the caller has found to be lost, which may not have reported its end yet. */
  reportLoss(session: Session, error: McpError): void;
  /** Waits for a session and, where possible, for its tools; see `listedSession`. */
  listedSession(deadline: Deadline, patienceMs: () => number): Promise<WatchedSession>;
  /** Waits for a live tool list, connecting if need be. */
  ensureTools(deadline: Deadline): Promise<void>;
  /** Lists the tools again, connecting if need be. */
  refreshTools(deadline: Deadline): Promise<void>;
  reconnect(deadline: Deadline): Promise<void>;
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

export function createManagedServer(options: ManagedServerOptions): ManagedServer {
  return new Server(options);
}

/** Most of a thousand servers stay unconnected after a start, so what a session needs is made with the first one. */
class Server implements ManagedServer, ConnectionSubject, ServerToolsSubject {
  readonly #hooks: ServerHooks;
  readonly #settings: ServerSettings;
  readonly #connection: Connection;
  readonly #tools: ServerTools;
  readonly #memory: CatalogMemory;
  readonly #settled = Promise.withResolvers<void>();
  readonly principal: string | undefined;
  readonly counts: CallCounts = { calls: 0, failures: 0 };
  dropped: McpError | undefined;
  openSession: WatchedSession | undefined;
  definition: ServerDefinition;
  /** The values by which it was reached last. */
  #resolved: ResolvedServer | undefined;
  /** The kinds whose list is cut, each told once. */
  readonly #cutLists = new Set<CatalogKind>();
  #context: ServerContext | undefined;
  #heartbeat: Heartbeat | undefined;
  readonly #pings: PingRecord = {};
  #since = Date.now();
  /** The last failure, until a session or a list succeeds, or the server is idle. */
  #lastFailure: { readonly error: McpError; readonly at: number } | undefined;

  constructor({ definition, principal, predecessor, settings, hooks }: ManagedServerOptions) {
    this.definition = definition;
    this.principal = principal;
    this.#hooks = hooks;
    this.#settings = settings;
    this.#memory = createCatalogMemory(definition.name, {
      identified: (act) => hooks.identified(this.#resolved, act),
      store: (record) => hooks.store(record),
      markStale: (identity) => hooks.markStale(identity),
      delete: (identity) => hooks.delete(identity),
    });
    this.#connection = createConnection(this, settings, predecessor);
    this.#tools = createServerTools(this, hooks, settings.toolPollIntervalMs);
  }

  get context(): ServerContext {
    this.#context ??= this.#createContext();
    return this.#context;
  }

  get prior(): PriorHandshake | undefined {
    return this.#memory.prior;
  }

  get verdict(): CatalogVerdict {
    return this.#memory.verdict;
  }

  get isRelisting(): boolean {
    return this.#tools.isRelisting;
  }

  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  get error(): McpError | undefined {
    return this.dropped ?? this.#lastFailure?.error;
  }

  snapshot(): ServerSnapshot {
    const { name, transport, definedIn } = this.definition;
    const { state } = this.#connection;
    const handshake = this.openSession?.handshake;
    const { serverInfo, instructions } = handshake ?? this.#memory.entry ?? {};
    return Object.freeze({
      name,
      transport,
      definedIn: Object.freeze({ ...definedIn }), // Copied, so that the host's own object stays unfrozen.
      status: state.status,
      since: this.#since,
      error: this.#errorReport(),
      retryAt: state.status === "backoff" ? state.retryAt : undefined,
      tools: this.#hooks.offered(),
      toolsFrom: this.#tools.from,
      era: handshake?.era ?? this.#memory.prior?.era,
      serverInfo: serverInfo && Object.freeze({ ...serverInfo }),
      instructions,
      ...this.counts,
    });
  }

  recall(known: CatalogRecord | undefined): void {
    const entry = known?.entry && boundedEntry(known.entry, this.definition.limits);
    const record = known?.entry === entry ? known : known && { ...known, entry };
    if (!this.#memory.take(record)) return;
    const { state } = this.#connection;
    // A server that was disconnected before start-up got here stays without tools ([C9]).
    if (record === undefined || (state.status === "idle" && state.disconnected)) return;
    this.#tools.recall(record);
    this.#context?.recall(record.entry);
  }

  redefine(definition: ServerDefinition): void {
    this.definition = definition;
  }

  wake(): void {
    this.#connection.wake();
  }

  session(deadline: Deadline): Promise<WatchedSession> {
    return this.#unlessDropped(this.#connection.session(deadline));
  }

  nextState(): Promise<ServerState> {
    return this.#connection.nextState();
  }

  reportLoss(session: Session, error: McpError): void {
    this.#connection.reportLoss(session, error);
  }

  listedSession(deadline: Deadline, patienceMs: () => number): Promise<WatchedSession> {
    return listedSession(this, () => this.#tools.loader, deadline, patienceMs);
  }

  async ensureTools(deadline: Deadline): Promise<void> {
    await awaitList(this, deadline, (session) => this.#tools.loader.settle(session));
  }

  async refreshTools(deadline: Deadline): Promise<void> {
    await awaitList(this, deadline, (session) => this.#tools.loader.load(session));
  }

  async reconnect({ signal }: Deadline): Promise<void> {
    this.dropped = undefined;
    await this.#unlessDropped(this.#connection.reconnect(signal));
  }

  async disconnect(): Promise<void> {
    await this.#connection.release(true);
  }

  async close(): Promise<void> {
    this.#context?.end();
    await this.#connection.close();
  }

  async #unlessDropped<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw isMcpError(error, "MCP_CLOSED") ? (this.dropped ?? error) : error;
    }
  }

  resolved(server: ResolvedServer): void {
    this.#resolved = server;
  }

  changed(before: ServerState, after: ServerState): void {
    const now = Date.now();
    const isOther = before.status !== after.status; // An idle server may only have been marked as disconnected.
    if (isOther) this.#since = now;
    if (before.status === "ready") this.#sessionGone();
    if (after.status === "connecting") this.#memory.attempted();
    if (after.status === "ready") this.#heartbeat = attendSession(after.session, this.#attendance());
    if (after.status === "ready" || after.status === "idle") this.#lastFailure = undefined;
    if (after.status === "idle" && after.disconnected) {
      this.#tools.withdraw();
      this.context.withdraw();
    }
    const { wasListed } = this.#tools;
    const isFailure = after.status === "backoff" || after.status === "failed";
    if (isFailure) {
      this.#lastFailure = { error: after.error, at: now };
      if (before.status === "connecting") this.#withdrawIfRefused(after.error);
      if (before.status === "connecting" || !wasListed) this.#memory.failed(after.error);
      this.#hooks.failed(after.error);
    }
    if (after.status !== "connecting" && after.status !== "ready") this.#settled.resolve();
    if (isOther) this.#hooks.statusChanged(before.status);
    if (isFailure && (after.status === "failed" || !wasListed)) this.#dropIfWanted(after.error);
  }

  /** What the server once offered to these credentials it does not offer to them any more, or never did. */
  #withdrawIfRefused({ code, httpStatus }: McpError): void {
    const isRefused = code === "MCP_AUTH_REQUIRED" || httpStatus === 401 || httpStatus === 403;
    if (!isRefused) return;
    this.#memory.refused();
    this.#tools.withdraw();
    this.context.withdraw();
  }

  #dropIfWanted(error: McpError): void {
    if (!this.#settings.dropFailed) return;
    this.dropped = error;
    void this.#connection.release(true);
  }

  #sessionGone(): void {
    this.#heartbeat?.stop();
    this.#context?.sessionEnded();
    if (!this.#tools.sessionEnded()) this.#memory.forgetHandshake();
  }

  toolsListed({ handshake }: Session, listing: DatedListing<"tools">): void {
    this.#lastFailure = undefined;
    this.#memory.listed(handshake, listing);
    this.#settled.resolve();
  }

  toolsFailed(error: McpError): void {
    this.#lastFailure = { error, at: Date.now() };
    this.#withdrawIfRefused(error);
    this.#hooks.failed(error);
    this.#settled.resolve();
    if (this.#tools.wasListed) return;
    this.#memory.failed(error);
    this.#dropIfWanted(error);
  }

  async list<K extends CatalogKind>(session: Session, kind: K, isStarting = false): Promise<DatedListing<K>> {
    const listing = await listKind(session, kind, this.definition, isStarting);
    if (listing.isCut !== true) this.#cutLists.delete(kind);
    else if (!this.#cutLists.has(kind)) {
      this.#cutLists.add(kind);
      this.#settings.log("warn", cutAdvice(kind, this.definition.limits), { server: this.definition.name });
    }
    return listing;
  }

  #createContext(): ServerContext {
    const context = createServerContext({
      server: this.definition.name,
      log: this.#settings.log,
      updateQuietMs: this.#settings.resourceUpdateQuietMs,
      list: (session, kind) => this.list(session, kind),
      changed: (kind) => this.#hooks.catalogChanged(kind),
      updated: (uri) => this.#hooks.resourceUpdated(uri),
      remember: (kind, items) => this.#memory.contextListed(kind, items),
    });
    context.recall(this.#memory.entry);
    return context;
  }

  #attendance(): SessionAttendantOptions {
    const { name, transport } = this.definition;
    return {
      server: name,
      tools: this.#tools,
      context: this.context,
      memory: this.#memory,
      hooks: this.#hooks,
      heartbeat: heartbeatFor(transport, this.#settings.heartbeat),
      pings: this.#pings,
      isCurrent: (session) => this.openSession === session,
      reportLoss: (session, error) => this.reportLoss(session, error),
    };
  }

  #errorReport(): ErrorReport | undefined {
    if (this.#lastFailure === undefined) return undefined;
    const { error, at } = this.#lastFailure;
    return { code: error.code, message: error.message, at, stderr: error.stderr };
  }
}
