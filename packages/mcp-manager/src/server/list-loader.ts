import {
  type CatalogKind,
  isMcpError,
  isSameJson,
  type Listing,
  type McpError,
  type Session,
  startTimer,
  toMcpError,
} from "@jackfield/mcp-core";
import { KIND_WORDS } from "./list-kind.ts";

export type ListState =
  | { readonly status: "none" }
  | { readonly status: "loading" }
  | { readonly status: "live" }
  | { readonly status: "failed"; readonly error: McpError };

/** The result of one list; `none`: its session is gone. Unlike the state, it does not change when another list begins. */
export type ListOutcome = Exclude<ListState, { readonly status: "loading" }>;

const ABANDONED: ListOutcome = { status: "none" };

export interface ListLoaderOptions<L extends Listing> {
  readonly server: string;
  readonly kind: CatalogKind;
  /** When a list is read again without an announced change, in milliseconds; `0` = never. @param listing - the last one, if any */
  readonly repeatAfterMs: (session: Session, listing: L | undefined) => number;
  /** Lists once, within a deadline of its own. */
  readonly list: (session: Session) => Promise<L>;
  /** The list, if somebody else has read it since; asked before it is repeated. */
  readonly readElsewhere?: ((session: Session) => Promise<L | undefined>) | undefined;
  /** Prepares a list that takes long to publish; `undefined`: there is nothing to prepare. Until then it counts as being read. */
  readonly prepare?: ((listing: L, isWanted: () => boolean) => Promise<L> | undefined) | undefined;
  readonly loaded: (session: Session, listing: L) => void;
  readonly failed: (error: McpError) => void;
}

interface Load {
  readonly session: Session;
  /** By the monotonic clock, in milliseconds. */
  readonly beganAt: number;
  /** It follows another list, or was scheduled; a change announced now is scheduled too. */
  readonly isFollowUp: boolean;
  readonly done: PromiseWithResolvers<ListOutcome>;
  /** A caller has stopped waiting for it. */
  isOverdue: boolean;
  /** For callers that asked while it was under way; resolves with the follow-up. */
  followUp: PromiseWithResolvers<ListOutcome> | undefined;
}

/**
 * Keeps one of a server's lists up to date. Callers that ask while a list is under way share one follow-up, and the superseded list is
 * not published: a short burst of changes costs two lists and is one change, a longer one is one more change each second. An answer
 * from a replaced session is discarded ([L19], [L20]).
 */
export class ListLoader<L extends Listing = Listing> {
  readonly #options: ListLoaderOptions<L>;
  readonly #pace = new ListingPace();
  #state: ListState = { status: "none" };
  #current: Load | undefined;
  #listing: L | undefined;
  /** For the next list that no caller waits for: a scheduled one, or the next poll. */
  #timer: NodeJS.Timeout | undefined;
  /** The list under way or scheduled was announced by the server. */
  #isAnnounced = false;
  /** One more list is wanted, as soon as the pace allows. Resolves with its result. */
  #scheduled: PromiseWithResolvers<ListOutcome> | undefined;

  constructor(options: ListLoaderOptions<L>) {
    this.#options = options;
  }

  get state(): ListState {
    return this.#state;
  }

  /** Resolves with the result of a list that begins after this call. */
  load(session: Session): Promise<ListOutcome> {
    const current = this.#current;
    if (current?.session !== session) return this.#begin(session, false);
    current.followUp ??= Promise.withResolvers();
    return current.followUp.promise;
  }

  /** Like `load`, but accepts a list that is loaded or under way. */
  settle(session: Session): Promise<ListOutcome> {
    if (this.#current?.session === session) return this.#current.done.promise;
    return this.#state.status === "live" ? Promise.resolve(this.#state) : this.load(session);
  }

  /**
   * Like `settle`, but waits at most `mostMs`. The time counts from the beginning of the list if another caller has given up on it:
   * not every caller has to find out that the server does not answer. `undefined`: not loaded in time.
   */
  async settleWithin(session: Session, mostMs: number): Promise<ListOutcome | undefined> {
    const settled = this.settle(session);
    const load = this.#current;
    if (load === undefined || mostMs === Number.POSITIVE_INFINITY) return settled;
    const waitedMs = load.isOverdue ? performance.now() - load.beganAt : 0;
    if (waitedMs >= mostMs) return undefined;
    const impatient = Promise.withResolvers<undefined>();
    const giveUp = () => {
      load.isOverdue = true;
      impatient.resolve(undefined);
    };
    const timer = startTimer(giveUp, mostMs - waitedMs);
    try {
      return await Promise.race([settled, impatient.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The server announced that its list changed. Frequent announcements without changes are followed ever more rarely. Resolves, in the
   * order of the calls, when a list that includes the change is loaded or has failed, or the session is gone.
   */
  announce(session: Session): Promise<ListOutcome> {
    this.#isAnnounced = true;
    // The list under way may have been answered before the change.
    if (this.#current?.isFollowUp === false) return this.load(session);
    // The list that is scheduled will see this change too.
    if (this.#current === undefined && this.#scheduled === undefined) {
      if (this.#pace.waitMs() === 0) return this.#begin(session, false);
      this.#schedulePaced(session);
    }
    this.#scheduled ??= Promise.withResolvers();
    return this.#scheduled.promise;
  }

  /** The session is gone: whatever is under way no longer counts. */
  reset(): void {
    const abandoned = this.#current;
    const scheduled = this.#scheduled;
    this.#current = undefined;
    this.#isAnnounced = false;
    this.#scheduled = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = { status: "none" };
    abandoned?.done.resolve(ABANDONED);
    abandoned?.followUp?.resolve(ABANDONED);
    // After the callers of a list that was abandoned.
    void Promise.resolve(abandoned?.done.promise).then(() => scheduled?.resolve(ABANDONED));
  }

  #begin(session: Session, isFollowUp: boolean): Promise<ListOutcome> {
    clearTimeout(this.#timer);
    const done = this.#scheduled ?? Promise.withResolvers<ListOutcome>();
    this.#scheduled = undefined;
    const beganAt = performance.now();
    const load: Load = { session, beganAt, isFollowUp, done, isOverdue: false, followUp: undefined };
    this.#current = load;
    if (this.#state.status !== "live") this.#state = { status: "loading" };
    void this.#run(load);
    return load.done.promise;
  }

  async #run(load: Load): Promise<void> {
    const outcome = await this.#listWithOneRetry(load).then(
      (listing) => ({ listing }),
      (error: unknown) => ({ error }),
    );
    const isWanted = () => this.#current === load;
    if ("listing" in outcome && isWanted()) {
      const preparing = this.#options.prepare?.(outcome.listing, isWanted);
      if (preparing !== undefined) outcome.listing = await preparing;
    }
    if (!isWanted()) return;
    const { followUp, isFollowUp, session } = load;
    // A superseded list is not published, but never two in a row, so that changes get through.
    const isPublished = followUp === undefined || isFollowUp || this.#state.status !== "live";
    const published = isPublished ? this.#publish(session, outcome) : undefined;
    if (this.#current !== load) return; // A listener has disconnected the server.
    this.#current = undefined;
    if (followUp === undefined) this.#rest(session);
    else {
      const seen = this.#begin(session, true);
      if (published === undefined) void seen.then(load.done.resolve); // Callers of the unpublished list get the follow-up's result.
      void seen.then(followUp.resolve);
    }
    if (published !== undefined) load.done.resolve(published);
  }

  /**
   * Retries once, because a server that has just started may stumble ([S12]). Not on a session that is gone, which would fail again,
   * nor after a time-out, which would double the wait, nor if the error asks for a wait: the session has decided what to do about it.
   */
  async #listWithOneRetry(load: Load): Promise<L> {
    try {
      return await this.#options.list(load.session);
    } catch (error) {
      if (this.#current !== load || isMcpError(error, "MCP_CALL_TIMEOUT")) throw error;
      if (isMcpError(error) && error.retryAfterMs !== undefined) throw error;
      return await this.#options.list(load.session);
    }
  }

  #publish(session: Session, outcome: { readonly listing: L } | { readonly error: unknown }): ListOutcome {
    if (this.#isAnnounced) {
      const isChanged =
        "listing" in outcome && !isSameJson(this.#listing?.items ?? [], outcome.listing.items);
      this.#pace.listed({ isChanged });
    }
    if ("listing" in outcome) {
      const { listing } = outcome;
      const live = { status: "live" } as const;
      this.#listing = listing;
      this.#state = live;
      this.#options.loaded(session, listing);
      return live;
    }
    const { server, kind, failed } = this.#options;
    const message = `The ${KIND_WORDS[kind]} of server "${server}" could not be listed.`;
    const error = toMcpError(outcome.error, "MCP_INTERNAL", message, { server });
    const failure = { status: "failed", error } as const;
    this.#state = failure;
    failed(error);
    return failure;
  }

  #rest(session: Session): void {
    if (this.#scheduled !== undefined) {
      this.#schedulePaced(session);
      return;
    }
    this.#isAnnounced = false;
    const afterMs = this.#options.repeatAfterMs(session, this.#listing);
    if (afterMs > 0) this.#schedule(() => void this.#repeat(session), afterMs);
  }

  async #repeat(session: Session): Promise<void> {
    const timer = this.#timer;
    const { readElsewhere } = this.#options;
    const isWanted = () =>
      this.#timer === timer && this.#current === undefined && this.#state.status !== "none";
    const read = readElsewhere && (await readElsewhere(session));
    const listing = read && ((await this.#options.prepare?.(read, isWanted)) ?? read);
    if (!isWanted()) return;
    if (listing === undefined) void this.#begin(session, false);
    else {
      this.#publish(session, { listing });
      this.#rest(session);
    }
  }

  #schedulePaced(session: Session): void {
    this.#schedule(() => void this.#begin(session, true), this.#pace.waitMs());
  }

  #schedule(list: () => void, waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = startTimer(list, waitMs);
    this.#timer.unref(); // A scheduled list does not keep the process alive.
  }
}

const LEAST_SPACING_MS = 1_000;
const MOST_SPACING_MS = 30_000;

/**
 * How soon a list is read again when the server announces a change: at once after a quiet time, else 1 s after the last list, doubling
 * to 30 s while nothing has changed. A server that announces a change at each listing would otherwise be listed for ever.
 */
export class ListingPace {
  #listedAt = Number.NEGATIVE_INFINITY;
  #spacingMs = LEAST_SPACING_MS;

  /** How long the next list has to wait, in milliseconds. */
  waitMs(): number {
    const quietMs = performance.now() - this.#listedAt; // By the monotonic clock.
    if (quietMs >= MOST_SPACING_MS) this.#spacingMs = LEAST_SPACING_MS;
    return Math.max(0, this.#spacingMs - quietMs);
  }

  /** An announced list was read, or failed. */
  listed({ isChanged }: { readonly isChanged: boolean }): void {
    this.#listedAt = performance.now();
    this.#spacingMs = isChanged ? LEAST_SPACING_MS : Math.min(MOST_SPACING_MS, this.#spacingMs * 2);
  }
}
