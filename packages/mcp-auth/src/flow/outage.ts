import { McpError, type McpErrorDetails, parseRetryAfter } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";

/**
 * The longest wait that an authorization server can demand. A manager does not connect the MCP server during that time. This equals the
 * manager's longest reconnection delay.
 */
const LONGEST_WAIT_MS = 300_000;

/** Statuses of a busy server, which say nothing about the request. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

/** Error codes for the authorization server's own trouble, not for the request (RFC 6749, section 4.1.2.1). */
const OWN_TROUBLE: ReadonlySet<string> = new Set(["temporarily_unavailable", "server_error"]);

/** Whether a status says that the server is temporarily busy or down. */
export function isOutage(status: number): boolean {
  return status >= 500 || BUSY.has(status);
}

/** Whether an OAuth error code says so, whatever its HTTP status. */
export function isOwnTrouble(code: string): boolean {
  return OWN_TROUBLE.has(code);
}

/**
 * Whether the failure to meet a challenge is temporary, so that it says nothing about the values sent. `retryable` alone is not enough:
 * a server that compresses its answers or protects its metadata keeps doing so. Jackfield's `refused-values.ts` applies the same rule to
 * any `AuthPort`, without loading this package.
 */
export function isPassing({ code, httpStatus, retryable }: McpError): boolean {
  if (httpStatus !== undefined) return retryable && isOutage(httpStatus);
  return code === "MCP_CONNECT_FAILED" || code === "MCP_CONNECT_TIMEOUT";
}

/** The parts of an answer that say whether and when to ask again. */
export interface WatchedAnswer {
  readonly status: number;
  /** The wait that `Retry-After` demands, at most five minutes; missing if the answer does not say. */
  readonly retryAfterMs?: number | undefined;
}

/** A fetch that records its answers. */
export interface WatchedFetch {
  readonly fetch: FetchLike;
  /** In the order in which they came. */
  readonly answers: readonly WatchedAnswer[];
}

export function watchAnswers(fetch: FetchLike): WatchedFetch {
  const answers: WatchedAnswer[] = [];
  return {
    answers,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const { status, headers } = response;
      answers.push({ status, retryAfterMs: waitOf(headers) });
      return response;
    },
  };
}

function waitOf(headers: Headers): number | undefined {
  const waitMs = parseRetryAfter(headers.get("retry-after"), Date.now());
  return waitMs && Math.min(waitMs, LONGEST_WAIT_MS);
}

/** The error of a temporary failure: it is retryable, and an existing login stays valid. */
export function notJustNow(server: string, reason: string, details: McpErrorDetails): McpError {
  const message = `Server ${JSON.stringify(server)}: ${reason}`;
  const common = { server, phase: "handshake", outcome: "rejected" } as const;
  return new McpError("MCP_CONNECT_FAILED", message, { ...common, ...details });
}
