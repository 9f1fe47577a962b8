import type { ResolvedRemoteServer, ResolvedServer } from "./resolved-server.ts";

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

/** On which way a remote server is reached. */
export interface NetworkOptions {
  /** Servers of one origin share connections only if their `tls` is the same object. */
  readonly tls?: TlsOptions | undefined;
  /**
   * Whether `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case, are honoured. This machine itself is never
   * reached through a proxy. An unusable value fails the servers behind it with `MCP_CONFIG_INVALID`. Default true.
   */
  readonly proxy?: boolean | undefined;
}

/** Chooses the way to one server, for the user on whose behalf it is reached. */
export type NetworkFor<T extends NetworkOptions = NetworkOptions> = (
  server: ResolvedRemoteServer,
  options: Pick<CredentialOptions, "principal">,
) => T;

/** A server's 401 or 403 response. */
export interface AuthChallenge {
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header as received. */
  readonly wwwAuthenticate?: string | undefined;
  /** The `DPoP-Nonce` header, if all that the server wants is a proof that holds it (RFC 9449, section 9). */
  readonly dpopNonce?: string | undefined;
}

/** The request that credentials are for. Some are made for one request alone (RFC 9449). */
export interface CredentialedRequest {
  readonly method: string;
  readonly url: string;
}

/** For whom credentials are asked. */
export interface CredentialOptions {
  /** The user on whose behalf the server is reached; `undefined` for the owner of the runtime. */
  readonly principal?: string | undefined;
  /** Fires when the credentials are no longer needed. */
  readonly signal: AbortSignal;
}

/** How a transport gets credentials, and what it does when they are refused. Each method is told for which user. */
export interface AuthPort {
  /**
   * Headers for the next request; an empty object if there are no credentials. Called before every request, so it must be fast. If it
   * rejects, only that request fails: with its `McpError`, or with `MCP_CONNECT_FAILED` for any other error.
   */
  headers(
    server: ResolvedServer,
    options: CredentialOptions & { readonly request?: CredentialedRequest | undefined },
  ): Promise<Record<string, string>>;
  /**
   * Identifies the login that `headers` stands for. It stays the same while tokens are renewed, and differs for every other account; it
   * is hashed, and never shown. `undefined` without a login. Default: what `headers` returns, so that each token counts as an account.
   */
  account?(server: ResolvedServer, options: CredentialOptions): Promise<string | undefined>;
  /**
   * Tries to satisfy a challenge. `retry`: the request may be sent once more. Concurrent challenges share one result. It may reject
   * with an `McpError` that tells the user what to do; the request then fails with that error. For any other error it
   * fails with `MCP_AUTH_REQUIRED`.
   */
  onChallenge(
    server: ResolvedServer,
    challenge: AuthChallenge,
    options: CredentialOptions,
  ): Promise<"retry" | "fail">;
  /**
   * Called by a runtime that was told how to reach its servers, before it reaches any, so that logins go the same way. The first call
   * counts, and only if the port was not told otherwise. Default: the runtime's way is not used.
   */
  useNetwork?(network: NetworkOptions | NetworkFor): void;
}
