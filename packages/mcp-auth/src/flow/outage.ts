import { McpError, type McpErrorDetails, parseRetryAfter } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";

/**
 * The longest wait that counts if an authorization server asks for it. A manager does not connect the MCP server for that time. This is
 * the slowest delay with which it connects any server again.
 */
const LONGEST_WAIT_MS = 300_000;

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

/**
 * Whether what has kept a challenge from being met passes, so that nobody has judged what was sent. That a code may be tried again says
 * less: a server that compresses what it should not, or that guards its metadata, does so for ever. Jackfield's `refused-values.ts` decides
 * the same of any `AuthPort`, without loading this package.
 */
export function isPassing({ code, httpStatus, retryable }: McpError): boolean {
  if (httpStatus !== undefined) return retryable && isOutage(httpStatus);
  return code === "MCP_CONNECT_FAILED" || code === "MCP_CONNECT_TIMEOUT";
}

/** What an answer says of whether and when to ask again. */
export interface WatchedAnswer {
  readonly status: number;
  /** How long it asks to be left alone, at most five minutes. Default: it does not say. */
  readonly retryAfterMs?: number | undefined;
}

/** A fetch that remembers what it was answered. */
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

/** The error where nobody can be asked just now: it may be tried again, and a login that there is stays as good as it was. */
export function notJustNow(server: string, fact: string, details: McpErrorDetails): McpError {
  const message = `Server ${JSON.stringify(server)}: ${fact}`;
  const common = { server, phase: "handshake", outcome: "rejected" } as const;
  return new McpError("MCP_CONNECT_FAILED", message, { ...common, ...details });
}
