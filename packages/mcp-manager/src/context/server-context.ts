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
} from "@jackfield/mcp-core";
import { createListLoader, type ListLoader } from "../server/list-loader.ts";
import { createResourceSubscriptions, type ResourceSubscriptions } from "./resource-subscriptions.ts";
import { createUpdatePace, type UpdatePace } from "./update-pace.ts";

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

/**
 * What one server offers besides tools. Its lists are loaded when the tools are in, independently: one that fails does not affect
 * the others ([N2]). While no session is up, the last known lists are offered.
 */
export interface ServerContext {
  /** Takes the lists of the catalog, unless a session has listed anything, which is newer. */
  recall(entry: CatalogEntry | undefined): void;
  /** A session is up, or was renewed: restores the subscriptions, and no longer relies on what was listed before. */
  opened(session: Session): void;
  /** Loads the lists that the server's capabilities announce, unless they are loaded or under way. */
  load(session: Session): void;
  /** The session is gone. Its pending resource updates are still told. */
  sessionEnded(): void;
  /** Stops offering anything, and drops pending updates. Subscriptions stay wanted. */
  withdraw(): void;
  /** The server is gone for good: drops pending updates. */
  end(): void;
  /** @returns the promise of `ListLoader.announce` for each list that the server says has changed; empty for other notifications. */
  notified(session: Session, notification: ServerNotification): readonly Promise<unknown>[];
  /** The list that is known without asking; `undefined` if none is. */
  known<K extends ContextKind>(kind: K): readonly CatalogItems[K][] | undefined;
  /**
   * The list of this session, awaited if necessary; `undefined` if the session ended before the list was in.
   *
   * @throws McpError why listing failed, or the deadline's reason.
   */
  listed<K extends ContextKind>(
    kind: K,
    session: Session,
    deadline: Deadline,
  ): Promise<readonly CatalogItems[K][] | undefined>;
  /** See `ResourceSubscriptions.add`. */
  subscribe: ResourceSubscriptions["add"];
  readonly subscriptions: ResourceSubscriptions;
  /** Takes over the subscriptions of the previous server of the same name. Call it before a session is up. */
  inherit(predecessor: ServerContext): void;
}

export function createServerContext(options: ServerContextOptions): ServerContext {
  return new Context(options);
}

type Items = { readonly [K in ContextKind]?: readonly CatalogItems[K][] | undefined };

class Context implements ServerContext {
  readonly #options: ServerContextOptions;
  readonly #loaders: { readonly [K in ContextKind]: ListLoader };
  #subscriptions: ResourceSubscriptions;
  readonly #pace: UpdatePace;
  #items: Items = {};
  /** Whether a session has listed anything, which is newer than the catalog. */
  #isLive = false;

  constructor(options: ServerContextOptions) {
    this.#options = options;
    this.#subscriptions = createResourceSubscriptions(options);
    this.#pace = createUpdatePace(options.updateQuietMs);
    this.#loaders = {
      resources: this.#loader("resources"),
      resourceTemplates: this.#loader("resourceTemplates"),
      prompts: this.#loader("prompts"),
    };
  }

  recall(entry: CatalogEntry | undefined): void {
    if (entry !== undefined && !this.#isLive) this.#items = entry;
  }

  opened(session: Session): void {
    for (const loader of Object.values(this.#loaders)) loader.reset();
    this.#subscriptions.opened(session);
  }

  load(session: Session): void {
    for (const kind of KIND_NAMES) if (announces(session, kind)) void this.#loaders[kind].settle(session);
  }

  sessionEnded(): void {
    for (const loader of Object.values(this.#loaders)) loader.reset();
    this.#subscriptions.sessionEnded();
  }

  withdraw(): void {
    const offered = KIND_NAMES.filter((kind) => (this.known(kind)?.length ?? 0) > 0);
    this.#items = {};
    this.#pace.clear();
    for (const kind of new Set(offered.map((name) => KINDS[name]))) this.#options.changed(kind);
  }

  end(): void {
    this.#pace.clear();
  }

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

  known<K extends ContextKind>(kind: K): readonly CatalogItems[K][] | undefined {
    return this.#items[kind] as readonly CatalogItems[K][] | undefined;
  }

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

  subscribe: ResourceSubscriptions["add"] = (...subscription) => this.#subscriptions.add(...subscription);

  get subscriptions(): ResourceSubscriptions {
    return this.#subscriptions;
  }

  inherit({ subscriptions }: ServerContext): void {
    this.#subscriptions = subscriptions;
  }

  #loader<K extends ContextKind>(kind: K): ListLoader {
    const { server, list, log } = this.#options;
    return createListLoader({
      server,
      kind,
      pollIntervalMs: 0,
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
