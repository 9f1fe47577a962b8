import { McpError, type SearchToolsOptions, type ToolDescriptor } from "@jackfield/mcp-core";
import { type ToolHit, ToolIndex } from "./tool-index.ts";

export type { SearchToolsOptions };

/**
 * Orders what a query found, for example by embeddings: called with the candidates of the index, best first, also those that it would not
 * give as an answer. What it leaves out is not found.
 */
export type RankTools = (query: string, candidates: readonly ToolDescriptor[]) => readonly ToolDescriptor[];

/** How a source's tools are searched. */
export interface ToolSearchSettings {
  /** Puts the candidates in another order, or leaves some out. Default: the order of the index. */
  readonly rank?: RankTools | undefined;
}

/** A search over tools, which keeps an index of them. */
export interface ToolSearch {
  /**
   * Says which tools there are now; the index takes them up in `work`, or when somebody searches.
   *
   * @param tools - the same array as long as nothing changed
   * @param instructions - those of a server, if it has any
   */
  follow(tools: readonly ToolDescriptor[], instructions?: (server: string) => string | undefined): void;
  /** Takes up changes until none is left or `isOver` says so. @returns whether all are taken up */
  work(isOver?: () => boolean): boolean;
  /** The tools that a query means, best first. None if there is no good answer. */
  find(query: string, options?: SearchToolsOptions): readonly ToolDescriptor[];
}

const DEFAULT_LIMIT = 10;
/** How many candidates are shown to `rank`. */
const MOST_CANDIDATES = 100;
/** How much of an answer one server may fill, unless the query names it or there is nothing else. */
const SHARE_OF_SERVER = 0.6;
const LEAST_OF_SERVER = 3;

/** Makes a search with an empty index. */
export function createToolSearch({ rank }: ToolSearchSettings = {}): ToolSearch {
  const index = new ToolIndex();
  return {
    follow: (tools, instructions) => index.follow(tools, instructions),
    work(isOver) {
      index.work(isOver);
      return index.pending === 0;
    },
    find(query, options = {}) {
      checkSearch(query, options);
      const { limit = DEFAULT_LIMIT, servers, tools } = options;
      const { hits, isAnswered } = index.search(
        query,
        (tool) => (servers?.includes(tool.server) ?? true) && (tools?.(tool) ?? true),
      );
      if (rank !== undefined) {
        const candidates = hits.slice(0, MOST_CANDIDATES).map(({ tool }) => tool);
        return Object.freeze(rank(query, candidates).slice(0, limit));
      }
      if (!isAnswered) return NOTHING;
      return Object.freeze(shared(hits, limit).map(({ tool }) => tool));
    },
  };
}

const NOTHING: readonly ToolDescriptor[] = Object.freeze([]);

/** The best, of which one server does not get more than its share: a server may stuff words into its descriptions. */
function shared(hits: readonly ToolHit[], limit: number): readonly ToolHit[] {
  const most = Math.max(LEAST_OF_SERVER, Math.ceil(limit * SHARE_OF_SERVER));
  const counts = new Map<string, number>();
  const within: ToolHit[] = [];
  const beyond: ToolHit[] = [];
  for (const hit of hits) {
    if (within.length === limit) break;
    const count = (counts.get(hit.tool.server) ?? 0) + 1;
    counts.set(hit.tool.server, count);
    if (count <= most || hit.isNamed) within.push(hit);
    else beyond.push(hit);
  }
  return [...within, ...beyond].slice(0, limit);
}

/** @throws McpError `MCP_CONFIG_INVALID` */
function checkSearch(query: unknown, { limit, servers, tools }: SearchToolsOptions): void {
  if (typeof query !== "string") throw invalid("The query of searchTools must be a string.");
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
    throw invalid('The option "limit" of searchTools must be a positive whole number.');
  if (servers !== undefined && !(Array.isArray(servers) && servers.every((name) => typeof name === "string")))
    throw invalid('The option "servers" of searchTools must be a list of names of servers.');
  if (tools !== undefined && typeof tools !== "function")
    throw invalid('The option "tools" of searchTools must be a function.');
}

function invalid(message: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
