import type { ResolvedServer } from "./resolved-server.ts";

/** A server's 401 or 403 response. */
export interface AuthChallenge {
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header as received. */
  readonly wwwAuthenticate?: string | undefined;
}

/** How a transport gets credentials, and what it does when they are refused. */
export interface AuthPort {
  /**
   * Headers for the next request; an empty object if there are no credentials. Called before every request, so it must be fast. If it
   * rejects, only that request fails: with its `McpError`, or with `MCP_CONNECT_FAILED` for any other error.
   */
  headers(server: ResolvedServer): Promise<Record<string, string>>;
  /**
   * Identifies the login that `headers` stands for. It stays the same while tokens are renewed, and differs for every other account; it
   * is hashed, and never shown. `undefined` without a login. Default: what `headers` returns, so that each token counts as an account.
   */
  account?(server: ResolvedServer): Promise<string | undefined>;
  /**
   * Tries to satisfy a challenge. `retry`: the request may be sent once more. Concurrent challenges share one result. It may reject
   * with an `McpError` that tells the user what to do; the request then fails with that error. For any other error it
   * fails with `MCP_AUTH_REQUIRED`.
   */
  onChallenge(
    server: ResolvedServer,
    challenge: AuthChallenge,
    signal: AbortSignal,
  ): Promise<"retry" | "fail">;
}
