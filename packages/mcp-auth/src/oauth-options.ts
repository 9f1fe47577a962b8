import {
  type CredentialOptions,
  type DefinitionScope,
  type Logger,
  type NetworkFor,
  type NetworkOptions,
  type OAuthSettings,
  type OptionKind,
  optionEither,
  optionGroup,
  optionKinds,
  optionNumber,
  optionPort,
  type ResolvedRemoteServer,
} from "@jackfield/mcp-core";
import type { CredentialSummary, TokenVault } from "./vault/token-vault.ts";

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
  /**
   * Makes the JWT with which a program gets tokens (RFC 7523, section 2.1), such as `crossAppAccess`, or one that returns the token of a
   * workload. Nobody logs in then. Default: none.
   */
  readonly assertion?: MakeAssertion | undefined;
}

/** For what an assertion is made. */
export interface AssertionRequest {
  /** The server's name as configured. */
  readonly server: string;
  /** The authorization server that gets it: its audience. */
  readonly issuer: string;
  /** The URL of the MCP server, as a resource indicator. */
  readonly resource: string;
  /** The scopes that are asked for, between spaces. Default: none. */
  readonly scope?: string | undefined;
  /** The user for whom the server is reached. Default: the owner of the runtime. */
  readonly principal?: string | undefined;
  /** Reaches the internet as logins do: a private address only of `trustedHosts`. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** Returns a JWT. An error that it throws fails the request that needed the token. */
export type MakeAssertion = (request: AssertionRequest) => Promise<string>;

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
  /**
   * How authorization servers are reached: `{ proxy, tls }`, or a function that chooses for each server. The client's certificate goes to
   * the MCP server's own origin only. Default: the `http` of the `openMcp` that this is passed to, without its `fetch`, which cannot be kept
   * from private addresses; else the proxy that the environment names, and the authorities of Node.
   */
  readonly http?: NetworkOptions | NetworkFor | undefined;
  /** Returns what a server's entry says about authorization, for the user on whose behalf it is reached. Default: no settings. */
  readonly settingsOf?:
    | ((
        server: ResolvedRemoteServer,
        options: Pick<CredentialOptions, "principal">,
      ) => EntrySettings | undefined | Promise<EntrySettings | undefined>)
    | undefined;
  /**
   * Where browsers come back to after `beginLogin`: a page of your own, https or on this machine, which calls `finishLogin`. Default: none,
   * and logins begin and end in one call.
   */
  readonly redirectUri?: string | undefined;
  /** Default: no logging. */
  readonly log?: Logger | undefined;
  /** The current time in epoch milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Options of `login`. */
export interface LoginOptions {
  /** Cancels the login. */
  readonly signal?: AbortSignal | undefined;
  /** Whose login it is, if the vault keeps those of several users. Default: the owner's. */
  readonly principal?: string | undefined;
  /** Scopes to request in addition to those that the server and its entry name. */
  readonly scopes?: readonly string[] | undefined;
  /** Replaces `OAuthOptions.authorize` for this login. */
  readonly authorize?: ShowAuthorizationPage | undefined;
}

/** Options of `beginLogin`. */
export interface BeginLoginOptions {
  /**
   * What only this user's browser has, such as the id of its session: `finishLogin` accepts the response in the same session only, so that
   * nobody can have somebody else log in for him.
   */
  readonly session: string;
  /** Scopes to request in addition, such as `login.scopes` of the error that asked for the login. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A login that has begun. */
export interface BegunLogin {
  /** The page of the authorization server to which the user's browser is sent. */
  readonly url: string;
  /** How long the user may take, in milliseconds: ten minutes. */
  readonly lifetimeMs: number;
}

/** Options of `finishLogin`. */
export interface FinishLoginOptions {
  /** What `beginLogin` was given for this user's browser. */
  readonly session: string;
  readonly signal?: AbortSignal | undefined;
}

/** A login that was finished. */
export interface FinishedLogin extends CredentialSummary {
  readonly principal: string;
  /** The server's name as configured. */
  readonly server: string;
}

/** The request with which a browser comes back: of Node.js, of the Fetch API, or its URL. */
export type LoginResponse = string | URL | { readonly url?: string | undefined };

const { any, callable, flag, name, texts } = optionKinds;
const signal = optionPort("an AbortSignal", ["addEventListener", "removeEventListener", "throwIfAborted"]);
/** A kind for each option: the type demands one for every new option. */
type KindsOf<T> = { readonly [K in keyof T]-?: OptionKind };

const CALLBACK: KindsOf<CallbackOptions> = {
  port: any, // judged by the login that listens there
  path: name,
  timeoutMs: optionNumber(0),
};

/** What `createOAuth` takes. */
export const OAUTH_OPTIONS: KindsOf<OAuthOptions> = {
  vault: optionPort("a TokenVault", ["forServer", "write", "delete", "exclusively", "list"]),
  authorize: callable,
  clientName: name,
  clientMetadataUrl: {
    what: "an https URL with a path, such as https://example.com/client.json",
    fits: isDocumentUrl,
  },
  callback: optionGroup(CALLBACK),
  loginCommand: callable,
  trustedHosts: texts,
  // The runtime's `http` may have a `fetch`, which is not used here.
  http: optionEither(optionGroup({ proxy: flag, tls: optionKinds.record, fetch: callable }), callable),
  settingsOf: callable,
  redirectUri: name,
  log: callable,
  now: callable,
};

/** What `login` takes. */
export const LOGIN_OPTIONS: KindsOf<LoginOptions> = {
  signal,
  principal: any, // judged by the vault
  scopes: texts,
  authorize: callable,
};

/** What `beginLogin` and `finishLogin` take. `session` is judged there. */
export const BEGIN_LOGIN_OPTIONS: KindsOf<BeginLoginOptions> = { session: any, scopes: texts, signal };
export const FINISH_LOGIN_OPTIONS: KindsOf<FinishLoginOptions> = { session: any, signal };

function isDocumentUrl(value: unknown): boolean {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url?.protocol === "https:" && url.pathname !== "/";
}
