import type { OAuthTokens, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import type { ProofKey } from "../flow/authorization-headers.ts";

/** What a credential is bound to. It is not used for another issuer, resource or client. */
export interface VaultKey {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId?: string | undefined;
}

/** What a vault stores after a login. All of it is secret. */
export interface StoredCredential extends VaultKey {
  /** The server's URL, as `canonicalServerUrl` writes it. */
  readonly serverUrl: string;
  /** The login has ended: its refresh token was refused. Only the issuer is still of use, for the next login of the entry's own client. */
  readonly isSpent?: true | undefined;
  /** The resource indicator (RFC 8707) that was sent; missing where the server advertises none. A refresh sends the same. */
  readonly resourceIndicator?: string | undefined;
  /**
   * The `resource` that the server's entry named at login. Missing if it named none, and in credentials stored by earlier versions;
   * the resource then counts as advertised by the server.
   */
  readonly configuredResource?: string | undefined;
  /** Unique to each login; a renewal keeps it. Missing in credentials stored by earlier versions. */
  readonly loginId?: string | undefined;
  /** This program's client at the authorization server. */
  readonly client: StoredOAuthClientInformation;
  readonly tokens: OAuthTokens;
  /** The key that the tokens are bound to, if they are. As secret as they are. */
  readonly proofKey?: ProofKey | undefined;
  /** The scopes requested at login, and those that the authorization server said it granted. */
  readonly scopes: readonly string[];
  /** When the tokens were received, epoch milliseconds. */
  readonly obtainedAt: number;
  /** When the access token expires, epoch milliseconds; missing if the authorization server did not say. */
  readonly expiresAt?: number | undefined;
}

/** The parts of a credential that may be shown: it holds no secrets. Times are epoch milliseconds. */
export interface CredentialSummary extends VaultKey {
  readonly serverUrl: string;
  readonly scopes: readonly string[];
  readonly obtainedAt: number;
  readonly expiresAt?: number | undefined;
  /** Whether it has a refresh token, and so can be renewed without asking the user. */
  readonly isRefreshable: boolean;
}

/** Secret texts that a vault keeps for a limited time. */
export interface VaultNotes {
  put(id: string, text: string, lifetimeMs: number): Promise<void>;
  read(id: string): Promise<string | undefined>;
  /** Returns the text and forgets it: of several callers, one gets it. */
  take(id: string): Promise<string | undefined>;
}

/**
 * Stores credentials, one for each server. URLs are compared as `canonicalServerUrl` writes them, so a server whose URL has changed
 * is a different server and does not get the old credential.
 */
export interface TokenVault {
  /** Returns the credential for a server, or `undefined` if there is none, or it is damaged or was tampered with. */
  forServer(serverUrl: string, signal?: AbortSignal): Promise<StoredCredential | undefined>;
  /**
   * Replaces the server's credential atomically. With `expected`, only if it is still that one; resolves with `false` if it was not.
   */
  write(credential: StoredCredential, expected?: StoredCredential): Promise<unknown>;
  /**
   * Removes the server's credential and any remains of unusable ones, and returns whether there was anything. With `expected`, it
   * removes the credential only if it is still that one, so one that another process has just renewed stays.
   */
  delete(serverUrl: string, expected?: StoredCredential): Promise<boolean>;
  /**
   * Runs work while no other user of this vault, in any process, works for the same server. The credential may have changed while the
   * caller waited, so the work must read it again. Work must not call this for the same server: it would deadlock.
   *
   * @throws McpError `MCP_ABORTED` if the signal fires while it waits; whatever the work throws.
   */
  exclusively<T>(serverUrl: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /**
   * Called in the turn, right before the credential's refresh token is sent: whether it may be. From then on it is nobody else's to send,
   * also if this process ends. Default: the turn alone keeps others from sending it.
   */
  claim?(credential: StoredCredential): Promise<boolean>;
  /** Called in the same turn if the token was not redeemed after all, for a reason that may be temporary. */
  unclaim?(credential: StoredCredential): Promise<void>;
  /** The vault for the logins of one user. Default: there is one user, and others have no logins. */
  forPrincipal?(principal: string): TokenVault;
  /** What all machines know besides: logins that have begun, clients that were registered. Default: a login begins and ends in one call. */
  readonly notes?: VaultNotes | undefined;
  /** Returns summaries of all credentials, sorted by server. */
  list(): Promise<readonly CredentialSummary[]>;
}
