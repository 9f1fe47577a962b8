import {
  type Deadline,
  isSameJson,
  type McpError,
  raceSignal,
  type ServerDefinition,
  type Session,
  type ToolDefinition,
  type ToolsFrom,
} from "@jackfield/mcp-core";
import { type Freshness, reliableTtlMs } from "./catalog-record.ts";
import type { DatedListing } from "./list-kind.ts";
import { ListLoader, type ListOutcome, type ListState } from "./list-loader.ts";
import type { ServerRelay } from "./server-relay.ts";
import { isUnsent, turnOfTheEventLoop } from "./unsent-request.ts";
import type { WatchedSession } from "./watched-session.ts";

type ToolListing = DatedListing<"tools">;

/** The server that owns the tools. */
export interface ServerToolsSubject {
  readonly definition: ServerDefinition;
  /** Lists the server's tools once, within a deadline of its own. */
  list(session: Session, kind: "tools", isStarting: boolean): Promise<ToolListing>;
  /** The list was loaded. */
  toolsListed(session: Session, listing: ToolListing): void;
  toolsFailed(error: McpError): void;
  /** The list of the same tools that another process has read since, if it may be kept. */
  listedElsewhere(): Promise<ToolListing | undefined>;
}

/** One server's tools: those of the catalog until its own list is loaded, and its last list while it has no session. */
export class ServerTools {
  readonly #subject: ServerToolsSubject;
  readonly #relay: Pick<ServerRelay, "offer" | "prepare" | "withdraw">;
  readonly #pollIntervalMs: number;
  #tools: readonly ToolDefinition[] = [];
  #heardOf: readonly ToolDefinition[] = [];
  #loader: ListLoader<ToolListing> | undefined;
  from: ToolsFrom = "none";
  /** Whether the server itself has ever listed them. */
  wasListed = false;
  /** How many lists after renewals are under way. */
  #relistings = 0;

  /** @param pollIntervalMs - how often tools are listed again, in milliseconds; `0` = never */
  constructor(
    subject: ServerToolsSubject,
    relay: Pick<ServerRelay, "offer" | "prepare" | "withdraw">,
    pollIntervalMs: number,
  ) {
    this.#subject = subject;
    this.#relay = relay;
    this.#pollIntervalMs = pollIntervalMs;
  }

  /** Created at first use: a start that finds all tools in the catalog does not need it at once. */
  get loader(): ListLoader<ToolListing> {
    this.#loader ??= new ListLoader<ToolListing>({
      server: this.#subject.definition.name,
      kind: "tools",
      repeatAfterMs: (_session, listing) => this.#pollIntervalMs || validForMs(listing),
      list: (session) => this.#subject.list(session, "tools", !this.wasListed),
      readElsewhere: this.#pollIntervalMs > 0 ? undefined : () => this.#subject.listedElsewhere(),
      prepare: (listing, isWanted) =>
        this.prepare(listing.items, "live", isWanted)?.then((items) => ({ ...listing, items })),
      loaded: (session, listing) => this.#loaded(session, listing),
      failed: (error) => this.#subject.toolsFailed(error),
    });
    return this.#loader;
  }

  /** Prepares a long list, so that offering it takes little time; `undefined` for any other. Resolves with the list to offer. */
  prepare(
    tools: readonly ToolDefinition[],
    origin: "live" | "cache",
    isWanted: () => boolean,
  ): Promise<readonly ToolDefinition[]> | undefined {
    return this.#relay.prepare(tools, origin, { known: this.#tools, isWanted });
  }

  /** Offers the tools that the catalog knows, unless the server has listed its own. */
  recall(tools: readonly ToolDefinition[] | undefined, freshness: Freshness): void {
    if (tools === undefined || this.wasListed) return;
    this.#tools = tools;
    this.from = freshness === "stale" ? "stale" : "cache";
    this.#relay.offer(this.#tools, "cache");
  }

  /** Offers tools that another process has listed since, while there is no session. */
  recallNewer(tools: readonly ToolDefinition[]): void {
    if (!isSameJson(this.#tools, tools)) this.#tools = tools;
    this.from = "cache";
    this.#relay.offer(this.#tools, "cache");
  }

  /**
   * Another process was told other tools: the session is asked, too, unless it announces changes itself. It is asked once for each list, because
   * two sessions of one account may be offered different tools.
   */
  heardOf(session: Session, tools: readonly ToolDefinition[]): void {
    if (announcesChanges(session) || isSameJson(this.#heardOf, tools) || isSameJson(this.#tools, tools))
      return;
    this.#heardOf = tools;
    void this.loader.announce(session);
  }

  /** Whether the session was renewed, and its list is being read: the tools on offer are those of the server as it was before. */
  get isRelisting(): boolean {
    return this.#relistings > 0;
  }

  /** The session was renewed: lists its tools again. Resolves when they are in, or could not be listed. */
  async renewed(session: Session): Promise<void> {
    this.#relistings += 1;
    const { status } = await this.loader.load(session);
    this.#relistings -= 1;
    if (status === "failed" && !this.isRelisting) this.#offerAsKnown();
  }

  /**
   * The session is gone; the tools stay on offer, because a call waits for the next one. @returns whether the session had listed its
   * tools.
   */
  sessionEnded(): boolean {
    this.#loader?.reset();
    return this.#offerAsKnown();
  }

  /** Goes on offering the tools, as those of an earlier session. @returns whether they were live */
  #offerAsKnown(): boolean {
    if (this.from !== "live") return false;
    this.from = "cache";
    this.#relay.offer(this.#tools, "cache");
    return true;
  }

  /** Stops offering the tools. */
  withdraw(): void {
    this.#tools = [];
    this.from = "none";
    this.#relay.withdraw();
  }

  #loaded(session: Session, listing: ToolListing): void {
    // The definitions that are on offer are frozen and compared already.
    if (!isSameJson(this.#tools, listing.items)) this.#tools = listing.items;
    this.from = "live";
    this.wasListed = true;
    this.#relay.offer(this.#tools, "live");
    this.#subject.toolsListed(session, listing);
  }
}

function announcesChanges({ handshake }: Session): boolean {
  const { listChanged } = (handshake.capabilities.tools ?? {}) as { readonly listChanged?: unknown };
  return listChanged === true;
}

/** However short a list is valid, it is not read more often than this, in milliseconds. */
const SHORTEST_VALID_MS = 60_000;

/** The share of its time by which a list may be read again later. */
const REPEAT_SPREAD = 0.1;

/**
 * How long a list can be relied on, in milliseconds, by its `ttlMs`; `0` if the server does not say so. A `ttlMs` of 0, which is the default
 * of the official server SDK, promises nothing, and nothing follows from it.
 */
function validForMs(listing: ToolListing | undefined): number {
  const ttlMs = reliableTtlMs(listing?.ttlMs) ?? 0;
  // Those who share a catalog do not ask all at once: the first reads the list for the others.
  return ttlMs === 0 ? 0 : Math.max(ttlMs, SHORTEST_VALID_MS) * (1 + Math.random() * REPEAT_SPREAD);
}

/** The server whose tools are waited for. */
interface AwaitedServer {
  readonly openSession: WatchedSession | undefined;
  /** See `ServerTools`. */
  readonly isRelisting: boolean;
  session(deadline: Deadline): Promise<WatchedSession>;
  reportLoss(session: Session, error: McpError): void;
}

/**
 * Waits for a list, connecting if need be. One whose session ended, or had a connection that cannot be used, is asked for once more, of
 * whatever session there is then: a server that dies whenever it lists is not started again and again for it. A session on which other
 * requests are under way is not given up for a list, because they may still be answered.
 *
 * @throws McpError why there is no session, or why it could not be listed.
 */
export async function awaitList(
  server: AwaitedServer,
  deadline: Deadline,
  list: (session: Session) => Promise<ListOutcome>,
): Promise<void> {
  for (let isRepeated = false; ; ) {
    const session = await server.session(deadline);
    if (server.openSession !== session) continue; // It has ended since.
    const outcome = await raceSignal(list(session), deadline.signal);
    if (outcome.status === "live") return;
    if (outcome.status !== "failed") continue;
    const isOver = await hasEnded(session, server, outcome.error, { isKeptInUse: true });
    if (!isOver || isRepeated) throw outcome.error;
    isRepeated = true;
  }
}

/**
 * Waits for a session and for its tools, connecting if need be. A server that cannot list them, or does not say within `mostMs`,
 * is used all the same, and not asked again because of that; so is a session that goes on though its list broke off. One that ends
 * with its list, or could not be asked for it, is not used: what is there next may be another server.
 *
 * @param mostMs - how long a list may take, in milliseconds; asked for each session
 * @throws McpError why there is no session.
 */
export async function listedSession(
  server: AwaitedServer,
  loader: () => ListLoader<ToolListing>,
  deadline: Deadline,
  mostMs: () => number,
): Promise<WatchedSession> {
  for (;;) {
    const session = await server.session(deadline);
    if (server.openSession !== session) continue;
    if (hasAnswered(loader().state) && !server.isRelisting) return session;
    const outcome = await raceSignal(loader().settleWithin(session, mostMs()), deadline.signal);
    if (outcome?.status === "live" && server.isRelisting) continue; // That list began before the renewal.
    const { error } = outcome?.status === "failed" ? outcome : {};
    if (error !== undefined && (await hasEnded(session, server, error, { isKeptInUse: false }))) continue;
    if (server.openSession === session) return session;
  }
}

function hasAnswered(list: ListState): boolean {
  return list.status === "live" || (list.status === "failed" && !isUnsent(list.error));
}

/** Whether a session whose list failed is over: some say so a moment later, and one that could not be asked is given up here. */
async function hasEnded(
  session: Session,
  server: AwaitedServer,
  error: McpError,
  { isKeptInUse }: { readonly isKeptInUse: boolean },
): Promise<boolean> {
  await turnOfTheEventLoop();
  const { openSession } = server;
  if (openSession !== session) return true;
  if (!isUnsent(error) || (isKeptInUse && openSession.isUsed)) return false;
  // It was tried twice: a connection that cannot be used twice in a row has ended, whatever it says.
  server.reportLoss(session, error);
  return true;
}
