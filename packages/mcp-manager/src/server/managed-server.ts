import {
  type CatalogEntry,
  type CatalogId,
  type CatalogKind,
  type Deadline,
  type ErrorReport,
  isMcpError,
  type McpError,
  type PriorHandshake,
  type ResolvedServer,
  type ResolveServer,
  type ServerDefinition,
  type ServerSnapshot,
  type Session,
} from "@jackfield/mcp-core";
import { ServerContext } from "../context/server-context.ts";
import { idleTimeoutOf } from "../options.ts";
import { CatalogMemory, type CatalogPlace, CatalogWriter, type StoredServer } from "./catalog-memory.ts";
import type { CatalogRecord, CatalogVerdict } from "./catalog-record.ts";
import { Connection, type ConnectionSettings, type ConnectionSubject } from "./connection.ts";
import { type Heartbeat, type HeartbeatOptions, heartbeatFor, type PingRecord } from "./heartbeat.ts";
import { boundedEntry, cutAdvice, type DatedListing, listKind } from "./list-kind.ts";
import type { ServerRelay } from "./server-relay.ts";
import { awaitList, listedSession, ServerTools, type ServerToolsSubject } from "./server-tools.ts";
import { attendSession, type SessionAttendantOptions } from "./session-attendant.ts";
import type { ServerState } from "./state.ts";
import type { CallCounts, WatchedSession } from "./watched-session.ts";

/** The settings of all servers of a manager. */
export interface ServerSettings extends ConnectionSettings {
  /** How often tools are listed again, in milliseconds; `0` = never. */
  readonly toolPollIntervalMs: number;
  /** Whether a server that fails is dropped: not tried again, and not shown. */
  readonly dropFailed: boolean;
  /** Whether every server is lazy, whatever its definition says. */
  readonly lazy: boolean;
  readonly heartbeat: HeartbeatOptions;
  /** `idleTimeoutMs` of the servers that say nothing about it. */
  readonly idleTimeoutMs: number;
  /** How long a resource must be quiet before its updates are reported, in milliseconds; `0` = at once. */
  readonly resourceUpdateQuietMs: number;
}

export interface ManagedServerOptions {
  readonly definition: ServerDefinition;
  /** The user of the manager; `undefined` for the owner. */
  readonly principal: string | undefined;
  /** The closing of a replaced server of this name; the first attempt waits for it. */
  readonly predecessor: Promise<unknown> | undefined;
  readonly settings: ServerSettings;
  readonly relay: ServerRelay;
  readonly place: CatalogPlace;
}

/**
 * One server: its connection, its tools and what else it offers, and what the catalog knows of it. Most of a thousand servers stay
 * unconnected after a start, so what a session needs is made with the first one.
 */
export class ManagedServer implements ConnectionSubject, ServerToolsSubject, StoredServer {
  readonly #relay: ServerRelay;
  readonly #settings: ServerSettings;
  readonly #connection: Connection;
  readonly #tools: ServerTools;
  readonly #memory: CatalogMemory;
  readonly #place: CatalogPlace;
  readonly #settled = Promise.withResolvers<void>();
  /** The user of the manager; `undefined` for the owner. */
  readonly principal: string | undefined;
  readonly counts: CallCounts = { calls: 0, failures: 0 };
  /** Why it was dropped, if it was. */
  dropped: McpError | undefined;
  /** The session while the server is ready. */
  openSession: WatchedSession | undefined;
  definition: ServerDefinition;
  /** The values by which it was reached last. */
  resolved: ResolvedServer | undefined;
  /** The kinds whose list is cut, each told once. */
  readonly #cutLists = new Set<CatalogKind>();
  #context: ServerContext | undefined;
  #heartbeat: Heartbeat | undefined;
  readonly #pings: PingRecord = {};
  #since = Date.now();
  /** The last failure, until a session or a list succeeds, or the server is idle. */
  #lastFailure: { readonly error: McpError; readonly at: number } | undefined;

  constructor({ definition, principal, predecessor, settings, relay, place }: ManagedServerOptions) {
    this.definition = definition;
    this.principal = principal;
    this.#relay = relay;
    this.#settings = settings;
    this.#place = place;
    this.#memory = new CatalogMemory(definition.name, new CatalogWriter(this, place));
    this.#connection = new Connection(this, settings, predecessor);
    this.#tools = new ServerTools(this, relay, settings.toolPollIntervalMs);
  }

  get context(): ServerContext {
    this.#context ??= this.#createContext();
    return this.#context;
  }

  get idleTimeoutMs(): number {
    return idleTimeoutOf(this.definition, this.#settings.idleTimeoutMs);
  }

  get prior(): PriorHandshake | undefined {
    return this.#memory.prior;
  }

  get verdict(): CatalogVerdict {
    return this.#memory.verdict;
  }

  /** Whether the session was renewed and has not listed its tools since. */
  get isRelisting(): boolean {
    return this.#tools.isRelisting;
  }

  /** Resolves at the first success or the first failure, and does not wait for retries. */
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
      tools: this.#relay.offered(),
      toolsFrom: this.#tools.from,
      era: handshake?.era ?? this.#memory.prior?.era,
      serverInfo: serverInfo && Object.freeze({ ...serverInfo }),
      instructions,
      ...this.counts,
    });
  }

  /** The entry with its tools prepared, for `recall` and `recallNewer`; `undefined` unless it has a long list. */
  prepared(entry: CatalogEntry | undefined, isWanted: () => boolean): Promise<CatalogEntry> | undefined {
    const preparing = entry?.tools && this.#tools.prepare(entry.tools, "cache", isWanted);
    return preparing?.then((tools) => ({ ...entry, tools }) as CatalogEntry);
  }

  /** Takes the catalog's record; what the server itself has said is newer. */
  recall(known: CatalogRecord | undefined): void {
    const entry = known?.entry && boundedEntry(known.entry, this.definition.limits);
    const record = known?.entry === entry ? known : known && { ...known, entry };
    if (!this.#memory.take(record)) return;
    const { state } = this.#connection;
    // A server that was disconnected before start-up got here stays without tools ([C9]).
    if (record === undefined || (state.status === "idle" && state.disconnected)) return;
    this.#tools.recall(record.entry?.tools, record.verdict.freshness);
    this.#context?.recall(record.entry);
    if (this.isLazy) this.#place.readAgain();
  }

  /** The id of its catalog entry. */
  get catalogId(): CatalogId | undefined {
    return this.#memory.id;
  }

  /** Whether it has no session and needs none. */
  get isResting(): boolean {
    const { state } = this.#connection;
    return state.status === "idle" && !state.disconnected && this.dropped === undefined;
  }

  /** Whether it is to be connected now: it is not lazy, was not disconnected, and has not been up and become idle. */
  get isWanted(): boolean {
    const { state } = this.#connection;
    const isResting = state.status === "idle" && (state.disconnected || this.#tools.wasListed);
    return this.dropped !== undefined || (!isResting && !this.isLazy);
  }

  /** Whether it is connected only when it is used. */
  get isLazy(): boolean {
    return this.#settings.lazy || this.definition.lazy === true;
  }

  /** Takes what another process has written to the catalog since if the server rests; one with a session is asked itself. */
  recallNewer(found: CatalogEntry): void {
    const entry = boundedEntry(found, this.definition.limits);
    if (entry.tools === undefined) return;
    if (this.openSession !== undefined) this.#tools.heardOf(this.openSession, entry.tools);
    if (!this.isResting || !this.#memory.takeNewer(entry)) return;
    this.#tools.recallNewer(entry.tools);
    this.#context?.recallNewer(entry);
  }

  /** Takes a definition with changed settings only: limits hold from now on. */
  redefine(definition: ServerDefinition): void {
    this.definition = definition;
  }

  wake(resolve: ResolveServer): void {
    this.#connection.wake(resolve);
  }

  session(deadline: Deadline): Promise<WatchedSession> {
    return this.#unlessDropped(this.#connection.session(deadline));
  }

  /** Resolves at the next change of its state. */
  nextState(): Promise<ServerState> {
    return this.#connection.nextState();
  }

  /** Reports a session that the caller has found to be lost, which may not have reported its end yet. */
  reportLoss(session: Session, error: McpError): void {
    this.#connection.reportLoss(session, error);
  }

  /** Waits for a session and, where possible, for its tools; see `listedSession` of `server-tools.ts`. */
  listedSession(deadline: Deadline, mostMs: () => number): Promise<WatchedSession> {
    return listedSession(this, () => this.#tools.loader, deadline, mostMs);
  }

  /** Waits for a live tool list, connecting if need be. */
  async ensureTools(deadline: Deadline): Promise<void> {
    await awaitList(this, deadline, (session) => this.#tools.loader.settle(session));
  }

  /** Lists the tools again, connecting if need be. */
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
      this.#relay.failed(after.error, after.status === "backoff" ? after : undefined);
    }
    if (after.status !== "connecting" && after.status !== "ready") this.#settled.resolve();
    if (after.status === "idle" && !after.disconnected) this.#place.readAgain();
    if (isOther) this.#relay.statusChanged(before.status, () => this.snapshot());
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
    this.#relay.worked();
    this.#settled.resolve();
  }

  toolsFailed(error: McpError): void {
    this.#lastFailure = { error, at: Date.now() };
    this.#withdrawIfRefused(error);
    this.#relay.failed(error);
    this.#settled.resolve();
    if (this.#tools.wasListed) return;
    this.#memory.failed(error);
    this.#dropIfWanted(error);
  }

  async listedElsewhere(): Promise<DatedListing<"tools"> | undefined> {
    const { cache } = this.#place;
    const id = this.#memory.id;
    if (cache === undefined || id === undefined) return undefined;
    const found = (await cache.getMany([id])).get(id);
    const entry = found && boundedEntry(found, this.definition.limits);
    if (!entry?.ttlMs || !this.#memory.takeNewer(entry)) return undefined;
    const { tools: items = [], ttlMs, cacheScope, listedAt: beganAt } = entry;
    return { items, ttlMs, cacheScope, beganAt };
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
    const context = new ServerContext({
      server: this.definition.name,
      log: this.#settings.log,
      updateQuietMs: this.#settings.resourceUpdateQuietMs,
      list: (session, kind) => this.list(session, kind),
      changed: (kind) => this.#relay.catalogChanged(kind),
      updated: (uri) => this.#relay.resourceUpdated(uri),
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
      relay: this.#relay,
      heartbeat: heartbeatFor(transport, this.#settings.heartbeat),
      pings: this.#pings,
      isCurrent: (session) => this.openSession === session,
      reportLoss: (session, error) => this.reportLoss(session, error),
    };
  }

  #errorReport(): ErrorReport | undefined {
    if (this.#lastFailure === undefined) return undefined;
    const { error, at } = this.#lastFailure;
    const { code, message, stderr, login } = error;
    return { code, message, at, stderr, ...(login === undefined ? {} : { login }) };
  }
}
