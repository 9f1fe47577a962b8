import type { DefinitionScope, Logger, OAuthSettings, ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { TokenVault } from "./vault/token-vault.ts";

/** What an entry says about authorization, its references filled in. */
export interface EntrySettings {
  /** The entry's own block; `false` or `enabled: false`: no login, whatever the server asks for. */
  readonly settings?: OAuthSettings | false | undefined;
  /**
   * Why the secret of the client, which `settings` leave out then, cannot be had. It is thrown when the secret is needed, by a login or a
   * renewal: a token that is still good is used without it. Default: whatever is said of the secret holds.
   */
  readonly clientSecretError?: Error | undefined;
  /** Who wrote it. Default `explicit`. */
  readonly scope?: DefinitionScope | undefined;
}

/** For whom a person is asked to log in. */
export interface AuthorizationRequest {
  /** The server's name as configured. */
  readonly server: string;
  /** Fires when the login is given up. */
  readonly signal: AbortSignal;
}

/**
 * Shows a person the page on which to log in, and resolves when it was shown. The URL is https, or http to this machine;
 * `openInBrowser` is such a function. What it throws ends the login.
 */
export type ShowAuthorizationPage = (url: URL, request: AuthorizationRequest) => Promise<void>;

/** Where the answer of a login comes back to. An entry's own `redirectUri` and `callbackPort` beat it. */
export interface CallbackOptions {
  /** Default: one that nobody uses. */
  readonly port?: number | undefined;
  /** Default `/callback`. */
  readonly path?: string | undefined;
  /** How long a person may take, in milliseconds. Default 300,000. */
  readonly timeoutMs?: number | undefined;
}

/** Options of `createOAuth`. */
export interface OAuthOptions {
  /** Where credentials are kept. Default: in this process's memory, for as long as it lives. */
  readonly vault?: TokenVault | undefined;
  /**
   * Asks a person to log in as soon as a server wants it. Default: nobody is asked, and a server that wants a login fails with
   * `MCP_AUTH_REQUIRED`.
   */
  readonly authorize?: ShowAuthorizationPage | undefined;
  /** How this program is called where a person is asked for consent. Default `Jackfield`. */
  readonly clientName?: string | undefined;
  /**
   * The https URL of a client ID metadata document (MCP 2025-11-25), for authorization servers that take one in place of a
   * registration. Default: none, and the client is registered dynamically (RFC 7591).
   */
  readonly clientMetadataUrl?: string | undefined;
  readonly callback?: CallbackOptions | undefined;
  /**
   * The command with which a person logs in by hand, given the server's name as a word that is safe in a shell; `--scope` and scopes may be
   * put behind it. Errors name it where nobody is asked. Default: `jackfield login NAME`.
   */
  readonly loginCommand?: ((name: string) => string) | undefined;
  /**
   * Hosts of authorization servers whose addresses may be private, as in a company's network. The host of a server that no
   * project brought is always one of them. Default: everything else must be on the internet, or on this machine for a server
   * that is there as well.
   */
  readonly trustedHosts?: readonly string[] | undefined;
  /** What the entry of a server says about authorization. Default: nothing. */
  readonly settingsOf?:
    | ((server: ResolvedRemoteServer) => EntrySettings | undefined | Promise<EntrySettings | undefined>)
    | undefined;
  /** Default: nothing is said. */
  readonly log?: Logger | undefined;
  /** The current time in epoch milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Options of `login`. */
export interface LoginOptions {
  /** Gives the login up. */
  readonly signal?: AbortSignal | undefined;
  /** Asked for besides what the server and its entry name. */
  readonly scopes?: readonly string[] | undefined;
  /** Shows the page in place of the `authorize` of the options. */
  readonly authorize?: ShowAuthorizationPage | undefined;
}
