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
  /** What may be reached depends on where the server itself is; every request ends with the signal. */
  fetchFor(subject: NetworkSubject, signal: AbortSignal): Promise<FetchLike>;
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
  const close = async () => {
    const opened = [...ways.values()];
    ways.clear();
    await Promise.all(opened.map(async (way) => (await way).close()));
  };
  return {
    async fetchFor(subject, signal) {
      const host = new URL(subject.serverUrl).hostname;
      const key = JSON.stringify([host, subject.isUsersOwn]);
      const way = ways.get(key) ?? open(host, subject);
      ways.set(key, way);
      const { fetch } = await way;
      return (url, init) => fetch(url, { ...init, signal });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
