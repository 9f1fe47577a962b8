import {
  type Logger,
  McpError,
  type OAuthSettings,
  type ResolvedRemoteServer,
  type ResolvedServer,
} from "@jackfield/mcp-core";
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import type { CallbackServerOptions } from "./callback/callback-server.ts";
import { isText } from "./flow/answers.ts";
import type { EntrySettings, MakeAssertion, OAuthOptions } from "./oauth-options.ts";

/** The settings of one entry as a login uses them. */
export interface AuthorizationSettings {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Why the secret is not available. */
  readonly clientSecretError?: Error | undefined;
  readonly scopes: readonly string[];
  /** Whether tokens are to be bound to a key. Default false. */
  readonly dpop?: boolean | undefined;
  /** Where the authorization response is received, as far as the entry says. */
  readonly callback: Pick<CallbackServerOptions, "host" | "port" | "path">;
  /** `false` sends no resource indicator. */
  readonly resource?: string | false | undefined;
  /** The authorization server, if the user's own entry names it. */
  readonly byHand?: AuthorityByHand | undefined;
  /** How the program itself gets tokens. Default: a person logs in. */
  readonly program?: ProgramClient | undefined;
}

/** What a client without a user proves itself with, besides its secret. */
export interface ProgramClient {
  readonly clientId: string;
  readonly privateKey?: string | undefined;
  readonly algorithm: string;
  readonly assertion?: MakeAssertion | undefined;
}

/** What an entry says of its authorization server. */
export interface AuthorityByHand {
  readonly issuer: string;
  /** Whether the entry names the issuer besides the endpoints; the origin of the login page stands for it otherwise. */
  readonly isIssuerNamed?: boolean | undefined;
  /** Missing if only the issuer is named: the rest is then discovered there. */
  readonly metadata?: AuthorizationServerMetadata | undefined;
}

/** The client and the resource that an entry names. */
export type NamedClient = Pick<AuthorizationSettings, "clientId" | "resource">;

/** A remote server's entry, with what a login to it uses. */
export interface Entry {
  readonly server: ResolvedRemoteServer;
  readonly settings: AuthorizationSettings;
  /** Whether the user, and not a cloned project, configured the server. */
  readonly isUsersOwn: boolean;
  /** For whom the server is reached. Default: the owner of the runtime. */
  readonly principal?: string | undefined;
}

/** Reads what the entries of servers say about logins, and warns once of what is ignored in them. */
export class EntryReader {
  readonly #settingsOf: OAuthOptions["settingsOf"];
  readonly #log: Logger;
  readonly #read = new WeakMap<ResolvedServer, Map<string | undefined, Promise<Entry | undefined>>>();
  readonly #warned = new Set<string>();

  constructor({ settingsOf }: Pick<OAuthOptions, "settingsOf">, log: Logger) {
    this.#settingsOf = settingsOf;
    this.#log = log;
  }

  /** The entry as last read: this runs before every request, and sends no client secret. `undefined` without logins. */
  current(server: ResolvedServer, principal: string | undefined): Promise<Entry | undefined> {
    return this.#read.get(server)?.get(principal) ?? this.read(server, principal);
  }

  /** Reads the entry again, so that a current secret is used. A failure is not kept, because the next attempt may succeed. */
  read(server: ResolvedServer, principal: string | undefined): Promise<Entry | undefined> {
    const reading = this.#build(server, principal);
    const own = this.#read.get(server) ?? new Map<string | undefined, typeof reading>();
    this.#read.set(server, own.set(principal, reading));
    reading.catch(() => {
      if (own.get(principal) === reading) own.delete(principal);
    });
    return reading;
  }

  /** The entry's client, or `undefined` if its settings cannot be read: a bad entry must not prevent a logout. */
  async namedClient(
    server: ResolvedRemoteServer,
    principal: string | undefined,
  ): Promise<NamedClient | undefined> {
    try {
      const { settings, scope } = (await this.#settingsOf?.(server, { principal })) ?? {};
      return readNamedClient(settings, scope !== "project");
    } catch {
      return undefined;
    }
  }

  async #build(server: ResolvedServer, principal: string | undefined): Promise<Entry | undefined> {
    if (server.transport !== "http" && server.transport !== "sse") return undefined;
    const {
      settings,
      scope = "explicit",
      clientSecretError,
      assertion,
    } = (await this.#settingsOf?.(server, { principal })) ?? {};
    const isUsersOwn = scope !== "project";
    const members = ignoredEndpoints(settings, isUsersOwn);
    const subject = JSON.stringify([server.name, ...members]);
    if (members.length > 0 && !this.#warned.has(subject)) {
      this.#warned.add(subject);
      const message = isUsersOwn
        ? 'Members of an entry\'s "oauth" are not used: endpoints are discovered from the server, or set with "authorizationUrl" and "tokenUrl" together.'
        : "An entry of a project cannot set OAuth endpoints, nor leave out the resource: they are discovered from the server.";
      this.#log("warn", message, { server: server.name, members, scope });
    }
    const read = readEntrySettings(server, settings, isUsersOwn);
    const program = read && readProgram(server.name, settings || {}, { assertion, clientSecretError });
    return read && { server, settings: { ...read, clientSecretError, program }, isUsersOwn, principal };
  }
}

const ENDPOINT = /(url|uri|endpoint|issuer)$/i;

/** Members with which the user's own entry names its authorization server. */
const BY_HAND: ReadonlySet<string> = new Set(["issuer", "authorizationUrl", "tokenUrl", "registrationUrl"]);

/**
 * Reads an entry's settings; `undefined` if it disables logins.
 *
 * @param isUsersOwn - whether the user, and not a cloned project, wrote the entry; only then it may name an authorization server
 * @throws McpError `MCP_CONFIG_INVALID` for a `redirectUri` that does not lead to this machine, an invalid port, and an authorization
 * server that is named by something else than a URL
 */
export function readEntrySettings(
  { name: server }: ResolvedRemoteServer,
  settings: OAuthSettings | false = {},
  isUsersOwn = true,
): AuthorizationSettings | undefined {
  const named = readNamedClient(settings, isUsersOwn);
  if (settings === false || named === undefined) return undefined;
  const { scopes = [], callbackPort: port } = settings;
  const callback = readRedirectUri(server, settings) ?? (port === undefined ? {} : { port });
  if (callback.port !== undefined && !isPort(callback.port)) {
    const member = settings.redirectUri === undefined ? "callbackPort" : "redirectUri";
    const message = `Server ${JSON.stringify(server)}: the port of "${member}" must be a whole number from 0 to 65535.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { server, phase: "config" });
  }
  const byHand = isUsersOwn ? readByHand(server, settings) : undefined;
  const dpop = settings.dpop === true;
  return { ...named, clientSecret: settings.clientSecret || undefined, scopes, dpop, callback, byHand };
}

/**
 * The authorization server that an entry names: both of its endpoints, for one that has no metadata, or its issuer, for one that the server
 * does not name. PKCE is used with it as with any other.
 */
function readByHand(server: string, settings: OAuthSettings): AuthorityByHand | undefined {
  const named = Object.entries(settings).filter(([member, value]) => BY_HAND.has(member) && isText(value));
  const { issuer, authorizationUrl, tokenUrl, registrationUrl } = Object.fromEntries(named) as {
    readonly [member: string]: string | undefined;
  };
  const wrong = named.find(([, value]) => !URL.canParse(String(value)));
  if (wrong !== undefined) {
    const message = `Server ${JSON.stringify(server)}: "${wrong[0]}" of its "oauth" must be a URL, such as https://login.example/.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { server, phase: "config" });
  }
  const page = authorizationUrl ?? (isForProgram(settings) ? tokenUrl : undefined); // a program shows none
  if (page === undefined || tokenUrl === undefined) return issuer === undefined ? undefined : { issuer };
  const metadata = {
    issuer: issuer ?? new URL(page).origin,
    authorization_endpoint: page,
    token_endpoint: tokenUrl,
    ...(registrationUrl === undefined ? {} : { registration_endpoint: registrationUrl }),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
  return { issuer: metadata.issuer, isIssuerNamed: issuer !== undefined, metadata };
}

/**
 * The client that an entry names, even if its other settings are invalid; `undefined` if it disables logins. An empty client id counts
 * as missing, because a variable with an empty default gives one.
 */
function readNamedClient(settings: OAuthSettings | false = {}, isUsersOwn = true): NamedClient | undefined {
  if (settings === false || settings.enabled === false) return undefined;
  const { clientId, resource } = settings;
  const isLeftOut = resource === false && isUsersOwn;
  return { clientId: clientId || undefined, resource: isLeftOut ? false : resource || undefined };
}

/**
 * The members of an entry that name an endpoint and are ignored: all of a project's, so that no repository can redirect a code, a secret
 * or a refresh token (threat T35), nor have a token made for any resource, and those of the user's own that are not known, or of no use alone.
 */
export function ignoredEndpoints(settings: OAuthSettings | false = {}, isUsersOwn = true): readonly string[] {
  if (settings === false) return [];
  const named = Object.keys(settings).filter((member) => member !== "redirectUri" && ENDPOINT.test(member));
  if (!isUsersOwn) return settings.resource === false ? [...named, "resource"] : named;
  const isWhole = (isText(settings.authorizationUrl) || isForProgram(settings)) && isText(settings.tokenUrl);
  return named.filter((member) => !BY_HAND.has(member) || (member !== "issuer" && !isWhole));
}

const CLIENT_CREDENTIALS = "client_credentials";

function isForProgram({ grantType }: OAuthSettings): boolean {
  return grantType === CLIENT_CREDENTIALS;
}

/**
 * How a client without a user gets tokens; `undefined` if a person logs in.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if it names no client, or nothing that the client proves itself with
 */
function readProgram(
  server: string,
  settings: OAuthSettings,
  { assertion, clientSecretError }: Pick<EntrySettings, "assertion" | "clientSecretError">,
): ProgramClient | undefined {
  if (assertion === undefined && !isForProgram(settings)) return undefined;
  const { clientId, clientSecret, privateKey: key, algorithm } = settings;
  const privateKey = key?.replaceAll("\\n", "\n") || undefined; // as variables hold a key in one line
  const hasProof = assertion || privateKey || clientSecret || clientSecretError;
  if (clientId && hasProof) return { clientId, privateKey, algorithm: algorithm || "ES256", assertion };
  const missing = clientId ? '"clientSecret" or "privateKey"' : '"clientId"';
  const message = `Server ${JSON.stringify(server)}: "oauth" of its entry is for a program without a user, and has no ${missing}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { server, phase: "config" });
}

/** Accepts only a redirect URI to this machine, so that the author of an entry cannot have the code sent elsewhere. */
function readRedirectUri(server: string, { redirectUri }: OAuthSettings) {
  if (redirectUri === undefined) return undefined;
  const [, host, port, path] =
    /^http:\/\/(127\.0\.0\.1|localhost):(\d{1,5})(\/[^?#]*)$/.exec(redirectUri) ?? [];
  if (host === undefined) {
    const message = `Server ${JSON.stringify(server)}: "redirectUri" must be http://127.0.0.1:PORT/PATH or http://localhost:PORT/PATH; the response to a login arrives there.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { server, phase: "config" });
  }
  return { host: host as "127.0.0.1" | "localhost", port: Number(port), path };
}

/** Whether this is a valid port to listen on; 0 stands for any free one. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65_535;
}
