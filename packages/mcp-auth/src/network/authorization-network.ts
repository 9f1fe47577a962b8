import type { FetchLike } from "@modelcontextprotocol/client";
import { isLoopbackHost } from "./endpoint-url.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

/** For which server authorization servers are asked. */
export interface NetworkSubject {
  readonly serverUrl: string;
  /** Whether the user named the server himself, and not a project that he has cloned. */
  readonly isUsersOwn: boolean;
}

/** The ways to authorization servers, opened when they are needed. */
export interface AuthorizationNetwork extends AsyncDisposable {
  /**
   * What may be reached depends on where the server itself is; every request ends with the signal, or when its time is up where
   * there is none. Redirects are followed as `GuardedFetch` does, whatever a request says of them.
   */
  fetchFor(subject: NetworkSubject, signal?: AbortSignal): Promise<FetchLike>;
  /** The same, and answers have no body: they are there when their headers are. */
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
      // The SDK asks for none, to follow them by rules of its own, which let codes and secrets go along (threat T29).
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
