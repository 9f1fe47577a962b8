import type { ToolDefinition, ToolsFrom } from "@jackfield/mcp-core";
import type { CatalogShelf } from "./catalog-record.ts";
import type { DatedListing } from "./list-kind.ts";
import { createListLoader, type ListLoader, type ListLoaderOptions } from "./list-loader.ts";
import type { ServerHooks } from "./server-hooks.ts";

type ToolListing = DatedListing<"tools">;

export interface ServerToolsOptions extends Omit<ListLoaderOptions<ToolListing>, "kind"> {
  readonly hooks: Pick<ServerHooks, "offer" | "withdraw">;
}

/** One server's tools: those of the catalog until its own list is in, and its last list while it is away. */
export interface ServerTools {
  readonly loader: ListLoader;
  readonly from: ToolsFrom;
  /** Whether the server itself has ever listed them. */
  readonly wasListed: boolean;
  /** Offers what the catalog knows. */
  recall(shelf: CatalogShelf): void;
  /** The session is gone; the tools stay on offer, since a call waits for the next. @returns whether it had listed any. */
  gone(): boolean;
  /** Offers nothing any more. */
  withdraw(): void;
}

export function createServerTools({ hooks, ...options }: ServerToolsOptions): ServerTools {
  let tools: readonly ToolDefinition[] = [];
  let from: ToolsFrom = "none";
  let wasListed = false;
  const loader = createListLoader<ToolListing>({
    ...options,
    kind: "tools",
    loaded(session, listing) {
      tools = listing.items;
      from = "live";
      wasListed = true;
      hooks.offer(tools, "live");
      options.loaded(session, listing);
    },
  });
  return {
    loader,
    get from() {
      return from;
    },
    get wasListed() {
      return wasListed;
    },
    recall({ entry, verdict }) {
      if (entry?.tools === undefined || wasListed) return;
      tools = entry.tools;
      from = verdict.freshness === "stale" ? "stale" : "cache";
      hooks.offer(tools, "cache");
    },
    gone() {
      loader.reset();
      if (from !== "live") return false;
      from = "cache";
      hooks.offer(tools, "cache");
      return true;
    },
    withdraw() {
      tools = [];
      from = "none";
      hooks.withdraw();
    },
  };
}
