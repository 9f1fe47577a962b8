import type { DefinitionScope, Logger, OAuthSettings, ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { TokenVault } from "./vault/token-vault.ts";

/** What a server's entry says about authorization, with its variable references resolved. */
export interface EntrySettings {
  /** The entry's own OAuth block. `false` or `enabled: false` disables logins, whatever the server asks for. */
  readonly settings?: OAuthSettings | false | undefined;
  /**
   * Why the client secret, which `settings` then omits, is not available. A login or a renewal that needs the secret throws it; a token
   * that is still valid is used without it. Default: `settings` is complete.
   */
  readonly clientSecretError?: Error | undefined;
  /** Where the entry comes from. Default `explicit`. */
  readonly scope?: DefinitionScope | undefined;
}

/** The login that a person is asked for. */
export interface AuthorizationRequest {
  /** The server's name as configured. */
  readonly server: string;
  /** Fires when the login is cancelled. */
  readonly signal: AbortSignal;
}

/**
 * Shows a person the login page, and resolves once it is shown. The URL is https, or http to this machine. `openInBrowser` is such a
 * function. An error that it throws ends the login.
 */
export type ShowAuthorizationPage = (url: URL, request: AuthorizationRequest) => Promise<void>;

/** Where the authorization response is received. An entry's own `redirectUri` and `callbackPort` take precedence. */
export interface CallbackOptions {
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Default `/callback`. */
  readonly path?: string | undefined;
  /** How long a person may take, in milliseconds. Default and maximum 300,000. */
  readonly timeoutMs?: number | undefined;
}

/** Options of `createOAuth`. */
export interface OAuthOptions {
  /** Where credentials are kept. Default: in memory, until the process ends. */
  readonly vault?: TokenVault | undefined;
  /**
   * Asks a person to log in when a server requires it. Default: no prompt, and a server that requires a login fails with
   * `MCP_AUTH_REQUIRED`.
   */
  readonly authorize?: ShowAuthorizationPage | undefined;
  /** This program's name on the authorization server's consent page. Default `Jackfield`. */
  readonly clientName?: string | undefined;
  /**
   * The https URL of a client ID metadata document (MCP 2025-11-25), for authorization servers that accept one in place of a
   * registration. Default: none, and the client is registered dynamically (RFC 7591).
   */
  readonly clientMetadataUrl?: string | undefined;
  readonly callback?: CallbackOptions | undefined;
  /**
   * Returns the command that logs in by hand, given a server name that is safe in a shell. `--scope` and scopes may be appended.
   * Errors name the command when no person is asked. Default: `jackfield login NAME`.
   */
  readonly loginCommand?: ((name: string) => string) | undefined;
  /**
   * Hosts of authorization servers that may have private addresses, as in a company network. The MCP server's own host is always
   * trusted, unless a project's configuration named the server. All other hosts must have public addresses, or be on this machine if
   * the MCP server is too. Default: none.
   */
  readonly trustedHosts?: readonly string[] | undefined;
  /** Returns what a server's entry says about authorization. Default: no settings. */
  readonly settingsOf?:
    | ((server: ResolvedRemoteServer) => EntrySettings | undefined | Promise<EntrySettings | undefined>)
    | undefined;
  /** Default: no logging. */
  readonly log?: Logger | undefined;
  /** The current time in epoch milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Options of `login`. */
export interface LoginOptions {
  /** Cancels the login. */
  readonly signal?: AbortSignal | undefined;
  /** Scopes to request in addition to those that the server and its entry name. */
  readonly scopes?: readonly string[] | undefined;
  /** Replaces `OAuthOptions.authorize` for this login. */
  readonly authorize?: ShowAuthorizationPage | undefined;
}
