import {
  type AuthChallenge,
  type AuthPort,
  type LogFields,
  type Logger,
  McpError,
  type ResolvedRemoteServer,
  type ResolvedServer,
  silentLogger,
  thrownMessage,
} from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";
import { challengeError, givenUp } from "./account-error.ts";
import { NO_CHALLENGE, type ReadChallenge, readChallenge } from "./challenge.ts";
import { createCredentialCache } from "./credential-cache.ts";
import { type NamedClient, namedEndpoints, readEntrySettings, readNamedClient } from "./entry-settings.ts";
import { authRequired, loginByName } from "./flow/login-error.ts";
import { type AuthorizationNetwork, createAuthorizationNetwork } from "./network/authorization-network.ts";
import type { LoginOptions, OAuthOptions } from "./oauth-options.ts";
import { type AccountEntry, createServerAccount, type ServerAccount } from "./server-account.ts";
import { summarizeCredential } from "./vault/credential.ts";
import { createMemoryVault } from "./vault/memory-vault.ts";
import { canonicalServerUrl } from "./vault/server-url.ts";
import type { CredentialSummary, TokenVault } from "./vault/token-vault.ts";

/**
 * OAuth for remote servers: an auth port for transports (`openMcp({ auth })`), plus login and logout. It discovers the authorization
 * server, renews tokens before they expire, and keeps credentials in a vault. Transports do not use it for a server that has its own
 * `Authorization` header.
 */
export interface OAuth extends AuthPort, AsyncDisposable {
  /** Identifies the stored login that requests to a server use; `undefined` without one, and if the vault cannot be read. */
  account(server: ResolvedServer): Promise<string | undefined>;
  /**
   * Logs in to a server, even if there is a login already. It first sends the server one request without credentials, to get its
   * challenge.
   *
   * @throws McpError `MCP_AUTH_REQUIRED` if the login fails, with the reason; before a person is asked, `MCP_CONFIG_INVALID` for an
   * entry that disables logins or is local, `MCP_STORAGE_FAILED` if the vault cannot be used; `MCP_ABORTED`; `MCP_CONNECT_FAILED` or
   * `MCP_CONNECT_TIMEOUT` if the authorization server cannot be reached
   */
  login(server: ResolvedServer, options?: LoginOptions): Promise<CredentialSummary>;
  /**
   * Deletes the stored login to a server, with any unusable files set aside for it, and returns whether there was one. The
   * authorization server is not informed. Only a login of the entry's own client is deleted. If the entry disables logins or its
   * settings cannot be read, any login for its URL is deleted.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for a local server, `MCP_STORAGE_FAILED` if the vault cannot be used
   */
  logout(server: ResolvedServer): Promise<boolean>;
  /**
   * Cancels pending work and closes all connections. A renewal whose refresh token has been sent is awaited, for at most 10 seconds,
   * and stored, because the old token may be spent. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Creates an OAuth port. Importing this package and asking for headers loads nothing heavy: the SDK and undici are loaded with the
 * first challenge, refresh or login.
 *
 * Without `authorize`, no person is ever asked: a challenge that a refresh cannot meet rejects with `MCP_AUTH_REQUIRED` and names the
 * login command. Use one `OAuth` with one vault per user.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a `clientMetadataUrl` that is no https URL with a path
 */
export function createOAuth(options: OAuthOptions = {}): OAuth {
  const { clientMetadataUrl } = options;
  if (clientMetadataUrl !== undefined && !isDocumentUrl(clientMetadataUrl)) {
    const message = `"clientMetadataUrl" must be an https URL with a path, such as https://example.com/client.json.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
  }
  return new RunningOAuth(options);
}

function isDocumentUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.pathname !== "/";
}

class RunningOAuth implements OAuth {
  readonly #options: OAuthOptions;
  readonly #vault: TokenVault;
  readonly #log: Logger;
  readonly #network: AuthorizationNetwork;
  readonly #closing = new AbortController();
  readonly #accounts = new Map<string, ServerAccount>();
  readonly #entries = new WeakMap<ResolvedServer, Promise<AccountEntry | undefined>>();
  readonly #warned = new Set<string>();
  #closed: Promise<void> | undefined;

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#vault = options.vault ?? createMemoryVault();
    this.#log = options.log ?? silentLogger;
    this.#network = createAuthorizationNetwork(options.trustedHosts ?? []);
  }

  async headers(server: ResolvedServer): Promise<Record<string, string>> {
    // An entry whose settings cannot be used may still need no login; if it does, the challenge says what is wrong.
    const entry = await this.#entryOf(server).catch(() => undefined);
    const token = entry && (await this.#tokenOf(entry));
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async account(server: ResolvedServer): Promise<string | undefined> {
    const entry = await this.#entryOf(server).catch(() => undefined);
    return (
      entry &&
      this.#accountOf(entry.server)
        .login(entry)
        .catch(() => undefined)
    );
  }

  /** Treats an unreadable vault as no login: most servers need none, and for one that does, the challenge reports the problem. */
  async #tokenOf(entry: AccountEntry): Promise<string | undefined> {
    try {
      return await this.#accountOf(entry.server).token(entry);
    } catch (error) {
      if (this.#closing.signal.aborted) return undefined;
      const reason = thrownMessage(error);
      const message = "Stored logins cannot be read; requests are sent without them.";
      this.#warnOnce(JSON.stringify([message, reason]), message, { reason });
      return undefined;
    }
  }

  async onChallenge(
    server: ResolvedServer,
    challenge: AuthChallenge,
    signal: AbortSignal,
  ): Promise<"retry" | "fail"> {
    try {
      const entry = await this.#readEntry(server);
      if (entry) return await this.#accountOf(entry.server).meet(entry, challenge, signal);
      if (!("url" in server)) return "fail";
      const refused = `it refused access (HTTP ${challenge.status}), and ${SWITCHED_OFF}`;
      throw authRequired(server.name, `${refused}. Give its entry a valid Authorization header.`);
    } catch (error) {
      throw challengeError(error, server, challenge);
    }
  }

  async login(server: ResolvedServer, options: LoginOptions = {}): Promise<CredentialSummary> {
    const { signal = this.#closing.signal, scopes, authorize = this.#options.authorize } = options;
    const entry = await this.#requireEntry(server);
    if (authorize === undefined) {
      const reason = "the login page cannot be shown; pass `authorize` to `login` or `createOAuth`.";
      throw authRequired(server.name, reason);
    }
    const challenge = await this.#askForChallenge(entry, signal);
    const login = { challenge, signal, scopes, authorize };
    return summarizeCredential(await this.#accountOf(entry.server).logIn(entry, login));
  }

  async logout(server: ResolvedServer): Promise<boolean> {
    const remote = requireRemote(server);
    return this.#accountOf(remote).logOut(await this.#namedClient(remote));
  }

  close(): Promise<void> {
    this.#closing.abort(new McpError("MCP_CLOSED", "OAuth was closed."));
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map((account) => account.settled()));
    await this.#network.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #accountOf({ url }: ResolvedRemoteServer): ServerAccount {
    const serverUrl = canonicalServerUrl(url);
    const known = this.#accounts.get(serverUrl);
    if (known) return known;
    const {
      authorize,
      clientName = "Jackfield",
      clientMetadataUrl,
      callback = {},
      loginCommand = loginByName,
      now = Date.now,
    } = this.#options;
    const { signal } = this.#closing;
    const account = createServerAccount({
      authorize,
      clientName,
      clientMetadataUrl,
      callback,
      loginCommand,
      now,
      log: this.#log,
      closing: signal,
      credential: createCredentialCache({ serverUrl, vault: this.#vault, now, log: this.#log, signal }),
      fetchFor: (entry, ending) => this.#fetchFor(entry, ending),
      settingsOf: async (entry) => ((await this.#readEntry(entry.server)) ?? entry).settings,
    });
    this.#accounts.set(serverUrl, account);
    return account;
  }

  #fetchFor({ server, isUsersOwn }: AccountEntry, signal?: AbortSignal): Promise<FetchLike> {
    return this.#network.fetchFor(
      { serverUrl: canonicalServerUrl(server.url), isUsersOwn },
      signal && this.#ending(signal),
    );
  }

  #ending(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#closing.signal]);
  }

  /** The entry as last read: this runs before every request, and sends no client secret. */
  #entryOf(server: ResolvedServer): Promise<AccountEntry | undefined> {
    return this.#entries.get(server) ?? this.#readEntry(server);
  }

  /** Reads the entry again. A failure is not kept, because the next attempt may succeed. */
  #readEntry(server: ResolvedServer): Promise<AccountEntry | undefined> {
    const reading = this.#buildEntry(server);
    this.#entries.set(server, reading);
    reading.catch(() => {
      if (this.#entries.get(server) === reading) this.#entries.delete(server);
    });
    return reading;
  }

  async #buildEntry(server: ResolvedServer): Promise<AccountEntry | undefined> {
    if (server.transport !== "http" && server.transport !== "sse") return undefined;
    const {
      settings,
      scope = "explicit",
      clientSecretError,
    } = (await this.#options.settingsOf?.(server)) ?? {};
    const members = namedEndpoints(settings);
    const warning = JSON.stringify([server.name, ...members]);
    if (members.length > 0) {
      const message = "An entry cannot set OAuth endpoints: they are discovered from the server.";
      this.#warnOnce(warning, message, { server: server.name, members, scope });
    }
    const read = readEntrySettings(server, settings);
    return read && { server, settings: { ...read, clientSecretError }, isUsersOwn: scope !== "project" };
  }

  #warnOnce(subject: string, message: string, fields: LogFields): void {
    if (this.#warned.has(subject)) return;
    this.#warned.add(subject);
    this.#log("warn", message, fields);
  }

  async #requireEntry(server: ResolvedServer): Promise<AccountEntry> {
    const entry = await this.#readEntry(server);
    if (entry) return entry;
    throw noLogin(requireRemote(server), SWITCHED_OFF);
  }

  /** The entry's client, or `undefined` if its settings cannot be read: a bad entry must not prevent a logout. */
  async #namedClient(server: ResolvedRemoteServer): Promise<NamedClient | undefined> {
    try {
      return readNamedClient((await this.#options.settingsOf?.(server))?.settings);
    } catch {
      return undefined;
    }
  }

  /** Sends a request that needs no session, and reads only the challenge of the answer. Without an answer there is no challenge. */
  async #askForChallenge(entry: AccountEntry, signal: AbortSignal): Promise<ReadChallenge> {
    try {
      const { server, isUsersOwn } = entry;
      const serverUrl = canonicalServerUrl(server.url);
      const subject = { serverUrl, isUsersOwn };
      const fetchHeaders = await this.#network.fetchHeadersFor(subject, this.#ending(signal));
      const response = await fetchHeaders(serverUrl, server.transport === "sse" ? STREAM_PROBE : PROBE);
      const wwwAuthenticate = response.headers.get("www-authenticate") ?? undefined;
      return response.status === 401 ? readChallenge({ wwwAuthenticate }) : NO_CHALLENGE;
    } catch {
      if (signal.aborted) throw givenUp(signal);
      return NO_CHALLENGE;
    }
  }
}

const SWITCHED_OFF = `its entry switches logins off ("oauth": false)`;

function requireRemote(server: ResolvedServer): ResolvedRemoteServer {
  if (server.transport === "http" || server.transport === "sse") return server;
  const reason = "only remote servers have a login; pass credentials to a local server in its environment";
  throw noLogin(server, reason);
}

function noLogin({ name: server }: ResolvedServer, reason: string): McpError {
  const message = `Server ${JSON.stringify(server)}: ${reason}.`;
  return new McpError("MCP_CONFIG_INVALID", message, { server, phase: "config" });
}

const PROBE = {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }),
} as const;

/** The request that opens an SSE session: the only one that such a server accepts at its URL. */
const STREAM_PROBE = { headers: { accept: "text/event-stream" } } as const;
