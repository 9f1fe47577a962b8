import {
  type CatalogEntry,
  type CatalogItems,
  type Deadline,
  isSameJson,
  type Listing,
  type Logger,
  raceSignal,
  type ServerNotification,
  type Session,
  startTimer,
} from "@jackfield/mcp-core";
import { ListLoader } from "../server/list-loader.ts";
import { ResourceSubscriptions } from "./resource-subscriptions.ts";

/** What a server lists besides tools. */
export type ContextKind = "resources" | "resourceTemplates" | "prompts";

/** The kinds, each with the capability that announces it. */
const KINDS = { resources: "resources", resourceTemplates: "resources", prompts: "prompts" } as const;
const KIND_NAMES = Object.keys(KINDS) as readonly ContextKind[];

export interface ServerContextOptions {
  readonly server: string;
  readonly log: Logger;
  /** How long a resource has to be quiet before an update of it is told, in milliseconds; `0` = at once. */
  readonly updateQuietMs: number;
  /** Lists once, within a deadline of its own. */
  readonly list: <K extends ContextKind>(session: Session, kind: K) => Promise<Listing<K>>;
  /** A list is different from what was known. */
  readonly changed: (kind: "resources" | "prompts") => void;
  /** A resource with a subscription has changed. */
  readonly updated: (uri: string) => void;
  /** Stores a list in the catalog. */
  readonly remember: <K extends ContextKind>(kind: K, items: readonly CatalogItems[K][]) => void;
}

type Items = { readonly [K in ContextKind]?: readonly CatalogItems[K][] | undefined };

/**
 * What one server offers besides tools. Its lists are loaded when the tools are in, independently: one that fails does not affect
 * the others ([N2]). While no session is up, the last known lists are offered.
 */
export class ServerContext {
  readonly #options: ServerContextOptions;
  readonly #loaders: { readonly [K in ContextKind]: ListLoader<Listing<K>> };
  #subscriptions: ResourceSubscriptions;
  readonly #pace: UpdatePace;
  #items: Items = {};
  /** Whether a session has listed anything, which is newer than the catalog. */
  #isLive = false;

  constructor(options: ServerContextOptions) {
    this.#options = options;
    this.#subscriptions = new ResourceSubscriptions(options);
    this.#pace = new UpdatePace(options.updateQuietMs);
    this.#loaders = {
      resources: this.#loader("resources"),
      resourceTemplates: this.#loader("resourceTemplates"),
      prompts: this.#loader("prompts"),
    };
  }

  /** Takes the lists of the catalog, unless a session has listed anything, which is newer. */
  recall(entry: CatalogEntry | undefined): void {
    if (entry !== undefined && !this.#isLive) this.#items = entry;
  }

  /** Takes lists that another process has loaded since, while no session is up. */
  recallNewer(entry: CatalogEntry): void {
    const changed = KIND_NAMES.filter((kind) => entry[kind] && !isSameJson(this.known(kind), entry[kind]));
    this.#items = { ...this.#items, ...Object.fromEntries(changed.map((kind) => [kind, entry[kind]])) };
    for (const kind of new Set(changed.map((name) => KINDS[name]))) this.#options.changed(kind);
  }

  /** A session is up, or was renewed: restores the subscriptions, and no longer relies on what was listed before. */
  opened(session: Session): void {
    for (const loader of Object.values(this.#loaders)) loader.reset();
    this.#subscriptions.opened(session);
  }

  /** Loads the lists that the server's capabilities announce, unless they are loaded or under way. */
  load(session: Session): void {
    for (const kind of KIND_NAMES) if (announces(session, kind)) void this.#loaders[kind].settle(session);
  }

  /** The session is gone. Its pending resource updates are still told. */
  sessionEnded(): void {
    for (const loader of Object.values(this.#loaders)) loader.reset();
    this.#subscriptions.sessionEnded();
  }

  /** Stops offering anything, and drops pending updates. Subscriptions stay wanted. */
  withdraw(): void {
    const offered = KIND_NAMES.filter((kind) => (this.known(kind)?.length ?? 0) > 0);
    this.#items = {};
    this.#pace.clear();
    for (const kind of new Set(offered.map((name) => KINDS[name]))) this.#options.changed(kind);
  }

  /** The server is gone for good: drops pending updates. */
  end(): void {
    this.#pace.clear();
  }

  /** @returns the promise of `ListLoader.announce` for each list that the server says has changed; empty for other notifications. */
  notified(session: Session, { method, params }: ServerNotification): readonly Promise<unknown>[] {
    const { prompts, resources, resourceTemplates } = this.#loaders;
    if (method === "notifications/prompts/list_changed") return [prompts.announce(session)];
    if (method === "notifications/resources/list_changed")
      return [resources.announce(session), resourceTemplates.announce(session)];
    const uri = (params as { readonly uri?: unknown } | undefined)?.uri;
    const isUpdate = method === "notifications/resources/updated" && typeof uri === "string";
    if (isUpdate && this.#subscriptions.isWatched(uri)) this.#pace.push(uri, () => this.#updated(uri));
    return [];
  }

  /** The list that is known without asking; `undefined` if none is. */
  known<K extends ContextKind>(kind: K): readonly CatalogItems[K][] | undefined {
    return this.#items[kind] as readonly CatalogItems[K][] | undefined;
  }

  /**
   * The list of this session, awaited if necessary; `undefined` if the session ended before the list was in.
   *
   * @throws McpError why listing failed, or the deadline's reason.
   */
  async listed<K extends ContextKind>(
    kind: K,
    session: Session,
    { signal }: Deadline,
  ): Promise<readonly CatalogItems[K][] | undefined> {
    if (!announces(session, kind)) return [];
    const loader = this.#loaders[kind];
    const outcome = await raceSignal(loader.settle(session), signal);
    if (outcome.status === "failed") throw outcome.error;
    return outcome.status === "live" ? this.known(kind) : undefined;
  }

  /** See `ResourceSubscriptions.add`. */
  subscribe: ResourceSubscriptions["add"] = (...subscription) => this.#subscriptions.add(...subscription);

  get subscriptions(): ResourceSubscriptions {
    return this.#subscriptions;
  }

  /** Takes over the subscriptions of the previous server of the same name. Call it before a session is up. */
  inherit({ subscriptions }: ServerContext): void {
    this.#subscriptions = subscriptions;
  }

  #loader<K extends ContextKind>(kind: K): ListLoader<Listing<K>> {
    const { server, list, log } = this.#options;
    return new ListLoader<Listing<K>>({
      server,
      kind,
      repeatAfterMs: () => 0,
      list: (session) => list(session, kind),
      loaded: (_session, listing) => this.#loaded(kind, listing),
      failed: (error) => log("warn", error.message, { server, code: error.code }),
    });
  }

  #loaded<K extends ContextKind>(kind: K, { items, isCut }: Listing<K>): void {
    const before = this.known(kind);
    this.#isLive = true;
    this.#items = { ...this.#items, [kind]: items };
    // A resource that lies beyond the limit is not gone.
    if (kind === "resources" && isCut !== true)
      this.#dropDelisted(before as Items["resources"], items as Items["resources"]);
    if (before !== undefined && isSameJson(before, items)) return;
    this.#options.remember(kind, items);
    this.#options.changed(KINDS[kind]);
  }

  /** Only resources that were listed before count: a resource of a template is in no list. */
  #dropDelisted(before: Items["resources"] = [], after: Items["resources"] = []): void {
    const listed = new Set(after.map(({ uri }) => uri));
    this.#subscriptions.delisted(before.flatMap(({ uri }) => (listed.has(uri) ? [] : [uri])));
  }

  /** Skips a resource that is no longer watched ([N13]). */
  #updated(uri: string): void {
    if (!this.#subscriptions.isWatched(uri)) return;
    this.#subscriptions.updated(uri);
    this.#options.updated(uri);
  }
}

function announces({ handshake }: Session, kind: ContextKind): boolean {
  return handshake.capabilities[KINDS[kind]] !== undefined;
}

/** The longest wait of an update, in quiet times. */
const MOST_WAITS = 10;

interface HeldUpdate {
  readonly timer: NodeJS.Timeout;
  readonly latestAt: number;
}

/**
 * Debounces the updates of resources. An update is reported once its resource has been quiet for a while, and at the latest after ten
 * times that, so that a resource that changes all the time is still reported. Resources do not delay each other ([N13]).
 */
export class UpdatePace {
  readonly #quietMs: number;
  readonly #waiting = new Map<string, HeldUpdate>();

  /** @param quietMs - how long a resource has to be quiet, in milliseconds; `0` reports everything at once */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  /** Calls `notify` later, or at once without a quiet time. Of several calls for one resource, the last one counts. */
  push(uri: string, notify: () => void): void {
    const quietMs = this.#quietMs;
    if (quietMs === 0) {
      notify();
      return;
    }
    const before = this.#waiting.get(uri);
    clearTimeout(before?.timer);
    const now = performance.now(); // By the monotonic clock.
    const latestAt = before?.latestAt ?? now + MOST_WAITS * quietMs;
    const due = () => {
      this.#waiting.delete(uri);
      notify();
    };
    const timer = startTimer(due, Math.max(0, Math.min(quietMs, latestAt - now)));
    timer.unref(); // A pending update keeps no process alive.
    this.#waiting.set(uri, { timer, latestAt });
  }

  /** Drops the updates that have not been reported. */
  clear(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }
}
