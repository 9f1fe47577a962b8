import type { ResolvedRemoteServer } from "@jackfield/mcp-core";

/** Keys and authorities for TLS, as PEM. */
export interface TlsOptions {
  /** Authorities that are believed in addition to those of Node.js. */
  readonly ca?: string | readonly string[] | undefined;
  /** The client's certificate chain, for servers that ask for one; `key` belongs to it. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Of an encrypted `key`. */
  readonly passphrase?: string | undefined;
}

/** How remote servers are reached. */
export interface HttpOptions {
  /**
   * Makes every request in place of undici. It is asked for manual redirects, and proxies, TLS and connection pools are its
   * own affair.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The same object for several servers lets them share connections. */
  readonly tls?: TlsOptions | undefined;
  /**
   * Whether `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case, are honoured. This machine itself is never
   * reached through a proxy. A value that cannot be used is a `MCP_CONFIG_INVALID` of the servers behind it. Default true.
   */
  readonly proxy?: boolean | undefined;
}

/** The same for all servers, or chosen for each when it is connected. */
export type HttpOptionsSource = HttpOptions | ((server: ResolvedRemoteServer) => HttpOptions);

/** What holds for one server. */
export function httpOptionsFor(server: ResolvedRemoteServer, source: HttpOptionsSource = {}): HttpOptions {
  return typeof source === "function" ? source(server) : source;
}
