import type { AuthChallenge, AuthPort, ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import { isReservedHeader } from "./reserved-headers.ts";
import { parseRetryAfter } from "./retry-after.ts";

export interface HttpFetchOptions {
  readonly server: ResolvedRemoteServer;
  readonly auth?: AuthPort | undefined;
  /** Fires when the channel is closed: no login outlives it. */
  readonly signal: AbortSignal;
}

/** Statuses whose headers say more than the SDK's error has room for. */
const CHALLENGES = new Set([401, 403]);
const WAITS = new Set([429, 503]);

/**
 * The `fetch` of one channel: adds credentials, answers a challenge once, and throws a `ChannelFault` for refusals that
 * carry a challenge or a waiting time. Everything else, redirects included, is the SDK's to judge.
 */
export function createHttpFetch(options: HttpFetchOptions): FetchLike {
  const auth = hasOwnCredentials(options.server) ? undefined : options.auth;
  return async (url, init) => {
    let response = await fetch(url, await withCredentials(init, options.server, auth));
    const challenge = auth && readChallenge(response);
    if (challenge) {
      const verdict = await auth.onChallenge(options.server, challenge, options.signal);
      if (verdict === "retry") {
        await discard(response);
        response = await fetch(url, await withCredentials(init, options.server, auth));
      }
    }
    await throwIfRefused(response);
    return response;
  };
}

/** Who configures an `Authorization` header wants that one: stored credentials then stay out of it. */
function hasOwnCredentials(server: ResolvedRemoteServer): boolean {
  return Object.keys(server.headers).some((name) => name.toLowerCase() === "authorization");
}

async function withCredentials(
  init: RequestInit | undefined,
  server: ResolvedRemoteServer,
  auth: AuthPort | undefined,
): Promise<RequestInit> {
  const headers = new Headers(init?.headers);
  const credentials = auth ? await auth.headers(server) : {};
  for (const [name, value] of Object.entries(credentials))
    if (!isReservedHeader(name)) headers.set(name, value);
  return { ...init, headers };
}

function readChallenge(response: Response): AuthChallenge | undefined {
  const wwwAuthenticate = response.headers.get("www-authenticate") ?? undefined;
  if (response.status === 401) return { status: 401, wwwAuthenticate };
  // A 403 without a challenge is a plain no: no credential would change it (RFC 6750, section 3.1).
  if (response.status === 403 && wwwAuthenticate) return { status: 403, wwwAuthenticate };
  return undefined;
}

async function throwIfRefused(response: Response): Promise<void> {
  const { status, headers } = response;
  if (!CHALLENGES.has(status) && !WAITS.has(status)) return;
  await discard(response);
  throw new ChannelFault({
    kind: "http-refused",
    status,
    retryAfterMs: WAITS.has(status) ? parseRetryAfter(headers.get("retry-after"), Date.now()) : undefined,
    challenge: headers.get("www-authenticate") ?? undefined,
  });
}

/** An unread body would keep its connection busy. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}
