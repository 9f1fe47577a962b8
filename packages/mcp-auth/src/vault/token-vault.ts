import type { OAuthTokens, StoredOAuthClientInformation } from "@modelcontextprotocol/client";

/** What a credential is bound to: another issuer, resource or client has no part in it. */
export interface VaultKey {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId?: string | undefined;
}

/** What is kept after a login. It is secret as a whole. */
export interface StoredCredential extends VaultKey {
  /** The server it is for, as `canonicalServerUrl` writes it. */
  readonly serverUrl: string;
  /** The resource indicator (RFC 8707) that was sent; missing where the server advertises none. A refresh sends the same. */
  readonly resourceIndicator?: string | undefined;
  /**
   * The `resource` that the server's entry named at the login. Missing if it named none, and in what earlier versions have stored: the
   * resource then counts as advertised.
   */
  readonly configuredResource?: string | undefined;
  /** Another one for each login; a renewal keeps it. Missing in what earlier versions have stored. */
  readonly loginId?: string | undefined;
  /** As whom the authorization server knows this program. */
  readonly client: StoredOAuthClientInformation;
  readonly tokens: OAuthTokens;
  /** What was granted, or asked for where the server did not say. */
  readonly scopes: readonly string[];
  /** When the tokens were received, epoch milliseconds. */
  readonly obtainedAt: number;
  /** When the access token expires, epoch milliseconds; missing where nobody said. */
  readonly expiresAt?: number | undefined;
}

/** What may be shown of a credential: nothing in it opens anything. Times are epoch milliseconds. */
export interface CredentialSummary extends VaultKey {
  readonly serverUrl: string;
  readonly scopes: readonly string[];
  readonly obtainedAt: number;
  readonly expiresAt?: number | undefined;
  /** Whether it can be renewed without asking the user. */
  readonly isRefreshable: boolean;
}

/**
 * Where credentials are kept, one for each server. URLs are compared as `canonicalServerUrl` writes them, so a server whose URL
 * has changed is another server and gets nothing of the old one's.
 */
export interface TokenVault {
  /** The credential for a server, or `undefined`. One that cannot be read or was tampered with is none. */
  forServer(serverUrl: string, signal?: AbortSignal): Promise<StoredCredential | undefined>;
  /** Replaces the server's credential, wholly or not at all. */
  write(credential: StoredCredential): Promise<void>;
  /**
   * Removes the server's credential, with whatever is left of unusable ones, and tells whether there was anything. With `expected`,
   * only if it is still that one: a credential that another process has just renewed stays.
   */
  delete(serverUrl: string, expected?: StoredCredential): Promise<boolean>;
  /**
   * Runs work while nobody else who uses this vault works for the same server, in other processes neither. Who waited must look
   * again before it acts. Work must not ask for the same server's turn again: it would wait for itself.
   *
   * @throws McpError `MCP_ABORTED` if the signal fires while it waits; whatever the work throws.
   */
  exclusively<T>(serverUrl: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** All credentials, sorted by server, without secrets. */
  list(): Promise<readonly CredentialSummary[]>;
}
