import type { ResolvedServer } from "./resolved-server.ts";

/** A server's refusal for want of authorization. */
export interface AuthChallenge {
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header as received. */
  readonly wwwAuthenticate?: string | undefined;
}

/** How a transport gets credentials, and what it does when they are refused. */
export interface AuthPort {
  /** Headers for the next request; an empty object where nothing is known. Called before every request, so it must be quick. */
  headers(server: ResolvedServer): Promise<Record<string, string>>;
  /**
   * Tries to satisfy a challenge. `retry`: the same request may be made once more. Concurrent challenges share one answer. It may
   * reject with an `McpError` that says what the user can do; the request then fails with that.
   */
  onChallenge(
    server: ResolvedServer,
    challenge: AuthChallenge,
    signal: AbortSignal,
  ): Promise<"retry" | "fail">;
}
