import type { TlsOptions } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";
import type { Entry } from "../entry-settings.ts";
import type { OAuthOptions } from "../oauth-options.ts";
import { isLoopbackHost } from "./endpoint-url.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

/**
 * Network access to authorization servers, opened on first use. What may be reached depends on where the MCP server itself is. Redirects
 * follow the rules of `GuardedFetch`, whatever a request's `redirect` says: the SDK sets "manual" and follows them itself, and within an
 * origin it sends codes and secrets along (threat T29).
 */
export class AuthorizationNetwork implements AsyncDisposable {
  readonly #trustedHosts: readonly string[];
  #http: OAuthOptions["http"];
  /** By `tls`, which is compared as an object, and by what may be reached. */
  readonly #ways = new Map<TlsOptions | undefined, Map<string, Promise<GuardedFetch>>>();

  /** @param trustedHosts - hosts whose addresses may be private, whatever server names them */
  constructor(trustedHosts: readonly string[] = [], http?: OAuthOptions["http"]) {
    this.#trustedHosts = trustedHosts;
    this.#http = http;
  }

  /** Takes the way of a runtime, unless there is one already. */
  use(http: NonNullable<OAuthOptions["http"]>): void {
    this.#http ??= http;
  }

  /** The signal ends every request; without one, only the timeout does. */
  async fetchFor(entry: Entry, signal?: AbortSignal): Promise<FetchLike> {
    const { fetch } = await this.#wayFor(entry);
    return (url, { redirect: _, ...init } = {}) => fetch(url, signal ? { ...init, signal } : init);
  }

  /** The same, but a response resolves with its headers and has no body. */
  async fetchHeadersFor(entry: Entry, signal: AbortSignal): Promise<FetchLike> {
    const { fetchHeaders } = await this.#wayFor(entry);
    return (url, { redirect: _, ...init } = {}) => fetchHeaders(url, { ...init, signal });
  }

  async close(): Promise<void> {
    const opened = [...this.#ways.values()].flatMap((ways) => [...ways.values()]);
    this.#ways.clear();
    await Promise.all(opened.map(async (way) => (await way).close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #wayFor({ server, settings, isUsersOwn, principal }: Entry): Promise<GuardedFetch> {
    const { issuer, metadata } = settings.byHand ?? {};
    const named = [issuer, metadata?.token_endpoint, metadata?.registration_endpoint];
    const namedHosts = named.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
    const { hostname, origin } = new URL(server.url);
    const chosen = typeof this.#http === "function" ? await this.#http(server, { principal }) : this.#http;
    const { proxy, tls } = chosen ?? {};
    const ways = this.#ways.get(tls) ?? new Map<string, Promise<GuardedFetch>>();
    this.#ways.set(tls, ways);
    const key = JSON.stringify([origin, isUsersOwn, namedHosts, proxy]);
    const open = async () => {
      const { GuardedFetch } = await import("./guarded-fetch.ts");
      return new GuardedFetch({
        allowLoopback: isLoopbackHost(hostname),
        trustedHosts: isUsersOwn ? [...this.#trustedHosts, hostname, ...namedHosts] : this.#trustedHosts,
        ownOrigin: origin,
        proxy,
        tls,
      });
    };
    const way = ways.get(key) ?? open();
    ways.set(key, way);
    return way;
  }
}
