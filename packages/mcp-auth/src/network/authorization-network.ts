import type { FetchLike } from "@modelcontextprotocol/client";
import { isLoopbackHost } from "./endpoint-url.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

/** The MCP server whose authorization servers are asked. */
export interface NetworkSubject {
  readonly serverUrl: string;
  /** Whether the user, and not a cloned project, configured the server. */
  readonly isUsersOwn: boolean;
}

/** Network access to authorization servers, opened on first use. */
export interface AuthorizationNetwork extends AsyncDisposable {
  /**
   * Returns a fetch whose reach depends on where the server itself is. The signal ends every request; without one, only the timeout
   * does. Redirects follow the rules of `GuardedFetch`, whatever a request's `redirect` says.
   */
  fetchFor(subject: NetworkSubject, signal?: AbortSignal): Promise<FetchLike>;
  /** The same, but a response resolves with its headers and has no body. */
  fetchHeadersFor(subject: NetworkSubject, signal: AbortSignal): Promise<FetchLike>;
  close(): Promise<void>;
}

/** @param trustedHosts - hosts whose addresses may be private, whatever server names them */
export function createAuthorizationNetwork(trustedHosts: readonly string[]): AuthorizationNetwork {
  const ways = new Map<string, Promise<GuardedFetch>>();
  const open = async (host: string, { isUsersOwn }: NetworkSubject) => {
    const { createGuardedFetch } = await import("./guarded-fetch.ts");
    return createGuardedFetch({
      allowLoopback: isLoopbackHost(host),
      trustedHosts: isUsersOwn ? [...trustedHosts, host] : trustedHosts,
    });
  };
  const wayFor = (subject: NetworkSubject) => {
    const host = new URL(subject.serverUrl).hostname;
    const key = JSON.stringify([host, subject.isUsersOwn]);
    const way = ways.get(key) ?? open(host, subject);
    ways.set(key, way);
    return way;
  };
  const close = async () => {
    const opened = [...ways.values()];
    ways.clear();
    await Promise.all(opened.map(async (way) => (await way).close()));
  };
  return {
    async fetchFor(subject, signal) {
      const { fetch } = await wayFor(subject);
      // The SDK sets "manual" and follows redirects itself. Within an origin it sends codes and secrets along (threat T29).
      return (url, { redirect: _, ...init } = {}) => fetch(url, signal ? { ...init, signal } : init);
    },
    async fetchHeadersFor(subject, signal) {
      const { fetchHeaders } = await wayFor(subject);
      return (url, { redirect: _, ...init } = {}) => fetchHeaders(url, { ...init, signal });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
