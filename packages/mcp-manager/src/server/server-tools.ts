import {
  isSameJson,
  type McpError,
  type ServerDefinition,
  type Session,
  type ToolDefinition,
  type ToolsFrom,
} from "@jackfield/mcp-core";
import type { CatalogRecord } from "./catalog-record.ts";
import type { DatedListing } from "./list-kind.ts";
import { createListLoader, type ListLoader } from "./list-loader.ts";
import type { ServerHooks } from "./server-hooks.ts";

type ToolListing = DatedListing<"tools">;

/** The server that owns the tools. */
export interface ServerToolsSubject {
  readonly definition: ServerDefinition;
  /** Lists the server's tools once, within a deadline of its own. */
  list(session: Session, kind: "tools", isStarting: boolean): Promise<ToolListing>;
  /** The list was loaded. */
  toolsListed(session: Session, listing: ToolListing): void;
  toolsFailed(error: McpError): void;
}

/** One server's tools: those of the catalog until its own list is loaded, and its last list while it has no session. */
export interface ServerTools {
  readonly loader: ListLoader;
  readonly from: ToolsFrom;
  /** Whether the server itself has ever listed them. */
  readonly wasListed: boolean;
  /** Offers what the catalog knows. */
  recall(record: CatalogRecord): void;
  /**
   * The session was renewed, and its list is being read: the tools on offer are those of the server as it was before.
   */
  readonly isRelisting: boolean;
  /** The session was renewed: lists its tools again. Resolves when they are in, or could not be listed. */
  renewed(session: Session): Promise<void>;
  /**
   * The session is gone; the tools stay on offer, because a call waits for the next one. @returns whether the session had listed its
   * tools.
   */
  sessionEnded(): boolean;
  /** Stops offering the tools. */
  withdraw(): void;
}

/** @param pollIntervalMs - how often tools are listed again, in milliseconds; `0` = never */
export function createServerTools(
  subject: ServerToolsSubject,
  hooks: Pick<ServerHooks, "offer" | "withdraw">,
  pollIntervalMs: number,
): ServerTools {
  return new Tools(subject, hooks, pollIntervalMs);
}

class Tools implements ServerTools {
  readonly #subject: ServerToolsSubject;
  readonly #hooks: Pick<ServerHooks, "offer" | "withdraw">;
  readonly #pollIntervalMs: number;
  #tools: readonly ToolDefinition[] = [];
  #loader: ListLoader | undefined;
  from: ToolsFrom = "none";
  wasListed = false;
  /** How many lists after renewals are under way. */
  #relistings = 0;

  constructor(
    subject: ServerToolsSubject,
    hooks: Pick<ServerHooks, "offer" | "withdraw">,
    pollIntervalMs: number,
  ) {
    this.#subject = subject;
    this.#hooks = hooks;
    this.#pollIntervalMs = pollIntervalMs;
  }

  /** Created at first use: a start that finds all tools in the catalog does not need it at once. */
  get loader(): ListLoader {
    this.#loader ??= createListLoader<ToolListing>({
      server: this.#subject.definition.name,
      kind: "tools",
      pollIntervalMs: this.#pollIntervalMs,
      list: (session) => this.#subject.list(session, "tools", !this.wasListed),
      loaded: (session, listing) => this.#loaded(session, listing),
      failed: (error) => this.#subject.toolsFailed(error),
    });
    return this.#loader;
  }

  recall({ entry, verdict }: CatalogRecord): void {
    if (entry?.tools === undefined || this.wasListed) return;
    this.#tools = entry.tools;
    this.from = verdict.freshness === "stale" ? "stale" : "cache";
    this.#hooks.offer(this.#tools, "cache");
  }

  get isRelisting(): boolean {
    return this.#relistings > 0;
  }

  async renewed(session: Session): Promise<void> {
    this.#relistings += 1;
    const { status } = await this.loader.load(session);
    this.#relistings -= 1;
    if (status === "failed" && !this.isRelisting) this.#offerAsKnown();
  }

  sessionEnded(): boolean {
    this.#loader?.reset();
    return this.#offerAsKnown();
  }

  /** Goes on offering the tools, as those of an earlier session. @returns whether they were live */
  #offerAsKnown(): boolean {
    if (this.from !== "live") return false;
    this.from = "cache";
    this.#hooks.offer(this.#tools, "cache");
    return true;
  }

  withdraw(): void {
    this.#tools = [];
    this.from = "none";
    this.#hooks.withdraw();
  }

  #loaded(session: Session, listing: ToolListing): void {
    // The definitions that are on offer are frozen and compared already.
    if (!isSameJson(this.#tools, listing.items)) this.#tools = listing.items;
    this.from = "live";
    this.wasListed = true;
    this.#hooks.offer(this.#tools, "live");
    this.#subject.toolsListed(session, listing);
  }
}
