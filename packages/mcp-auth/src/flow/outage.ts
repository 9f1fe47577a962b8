import { McpError, type McpErrorDetails } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";

/** Answers of a server that is busy: of what was asked they say nothing. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

/** What an authorization server says of itself, not of what it was asked (RFC 6749, section 4.1.2.1). */
const OWN_TROUBLE: ReadonlySet<string> = new Set(["temporarily_unavailable", "server_error"]);

/** Whether a status says that the server is busy or down, which passes. */
export function isOutage(status: number): boolean {
  return status >= 500 || BUSY.has(status);
}

/** Whether an error of OAuth says so, whatever status it came with. */
export function isOwnTrouble(code: string): boolean {
  return OWN_TROUBLE.has(code);
}

/** A fetch that remembers what it was answered. */
export interface WatchedFetch {
  readonly fetch: FetchLike;
  /** In the order in which they came. */
  readonly statuses: readonly number[];
}

export function watchStatuses(fetch: FetchLike): WatchedFetch {
  const statuses: number[] = [];
  return {
    statuses,
    async fetch(url, init) {
      const response = await fetch(url, init);
      statuses.push(response.status);
      return response;
    },
  };
}

/** The error where nobody can be asked just now: it may be tried again, and a login that there is stays as good as it was. */
export function notJustNow(server: string, fact: string, details: McpErrorDetails): McpError {
  const message = `Server ${JSON.stringify(server)}: ${fact}`;
  const common = { server, phase: "handshake", outcome: "rejected" } as const;
  return new McpError("MCP_CONNECT_FAILED", message, { ...common, ...details });
}
