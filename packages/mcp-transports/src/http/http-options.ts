import type { ResolvedRemoteServer } from "@jackfield/mcp-core";

/** TLS certificates and keys, as PEM. */
export interface TlsOptions {
  /** Certificate authorities that are trusted in addition to those of Node.js. */
  readonly ca?: string | readonly string[] | undefined;
  /** The client's certificate chain, for servers that ask for one; `key` belongs to it. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The passphrase of an encrypted `key`. */
  readonly passphrase?: string | undefined;
}

/** How remote servers are reached. */
export interface HttpOptions {
  /**
   * Makes every request in place of undici, with `redirect: "manual"`. It has to handle proxies, TLS and connection pools itself:
   * `tls` and `proxy` are ignored.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Servers of one origin share connections only if their `tls` is the same object. */
  readonly tls?: TlsOptions | undefined;
  /**
   * Whether `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case, are honoured. This machine itself is never
   * reached through a proxy. An unusable value fails the servers behind it with `MCP_CONFIG_INVALID`. Default true.
   */
  readonly proxy?: boolean | undefined;
}

/** The same options for all servers, or a function that chooses them when a server is connected. */
export type HttpOptionsSource = HttpOptions | ((server: ResolvedRemoteServer) => HttpOptions);

/** The options of one server. */
export function httpOptionsFor(server: ResolvedRemoteServer, source: HttpOptionsSource = {}): HttpOptions {
  return typeof source === "function" ? source(server) : source;
}
