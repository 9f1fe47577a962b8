import {
  type AuthChallenge,
  type AuthPort,
  type CredentialedRequest,
  type CredentialOptions,
  checkOptions,
  McpError,
  type ResolvedRemoteServer,
  type ResolvedServer,
  silentLogger,
  thrownMessage,
} from "@jackfield/mcp-core";
import { Account, type AccountContext } from "./account.ts";
import { NO_CHALLENGE, type ReadChallenge, readChallenge } from "./challenge.ts";
import { type Entry, EntryReader } from "./entry-settings.ts";
import { authRequired, challengeError, givenUp } from "./errors.ts";
import { AuthorizationNetwork } from "./network/authorization-network.ts";
import {
  BEGIN_LOGIN_OPTIONS,
  type BeginLoginOptions,
  type BegunLogin,
  FINISH_LOGIN_OPTIONS,
  type FinishedLogin,
  type FinishLoginOptions,
  LOGIN_OPTIONS,
  type LoginOptions,
  type LoginResponse,
  OAUTH_OPTIONS,
  type OAuthOptions,
} from "./oauth-options.ts";
import { canonicalServerUrl, summarizeCredential } from "./vault/credential.ts";
import { createMemoryVault } from "./vault/memory-vault.ts";
import type { CredentialSummary, TokenVault, VaultNotes } from "./vault/token-vault.ts";

/**
 * OAuth for remote servers: an auth port for transports (`openMcp({ auth })`), plus login and logout. It discovers the authorization
 * server, renews tokens before they expire, and keeps credentials in a vault. Transports do not use it for a server that has its own
 * `Authorization` header.
 */
export interface OAuth extends AuthPort, AsyncDisposable {
  headers(server: ResolvedServer, options?: WhoseRequest): Promise<Record<string, string>>;
  /** Identifies the stored login that requests to a server use; `undefined` without one, and if the vault cannot be read. */
  account(server: ResolvedServer, options?: WhoseLogin): Promise<string | undefined>;
  /**
   * Logs in to a server, even if there is a login already. It first sends the server one request without credentials, to get its
   * challenge.
   *
   * @throws McpError `MCP_AUTH_REQUIRED` if the login fails, with the reason; before a person is asked, `MCP_CONFIG_INVALID` for an
   * option that does not exist or an entry that disables logins or is local, `MCP_STORAGE_FAILED` if the vault cannot be used; `MCP_ABORTED`; `MCP_CONNECT_FAILED` or
   * `MCP_CONNECT_TIMEOUT` if the authorization server cannot be reached
   */
  login(server: ResolvedServer, options?: LoginOptions): Promise<CredentialSummary>;
  /**
   * Begins a login of a user of a web application: send the browser to `url`. It comes back to `redirectUri` with a request that any machine
   * with the same vault can pass to `finishLogin`, once, within ten minutes.
   *
   * @throws McpError as `login`; `MCP_CONFIG_INVALID` without a `redirectUri`, or for a vault that keeps no `notes`
   */
  beginLogin(principal: string, server: ResolvedServer, options: BeginLoginOptions): Promise<BegunLogin>;
  /**
   * Finishes a login that some machine has begun, and stores it for its user.
   *
   * @param response - the request with which the browser came back to `redirectUri`, or its URL
   * @throws McpError `MCP_AUTH_REQUIRED` for a response that is unknown, used, late, of another session, or a refusal; otherwise as `login`
   */
  finishLogin(response: LoginResponse, options: FinishLoginOptions): Promise<FinishedLogin>;
  /**
   * Deletes the stored login to a server, with any unusable files set aside for it, and returns whether there was one. The
   * authorization server is not informed. Only a login of the entry's own client is deleted. If the entry disables logins or its
   * settings cannot be read, any login for its URL is deleted.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for a local server, `MCP_STORAGE_FAILED` if the vault cannot be used
   */
  logout(server: ResolvedServer, options?: WhoseLogin): Promise<boolean>;
  /**
   * Cancels pending work and closes all connections. A renewal whose refresh token has been sent is awaited, for at most 10 seconds,
   * and stored, because the old token may be spent. Idempotent.
   */
  close(): Promise<void>;
}

/** Whose login is meant. Default: the owner's. */
export type WhoseLogin = Pick<CredentialOptions, "principal"> | undefined;

/** Whose login, and for which request. Default: one that posts to the server. */
type WhoseRequest = Partial<Parameters<AuthPort["headers"]>[1]> | undefined;

/**
 * Creates an OAuth port. Importing this package and asking for headers loads nothing heavy: the SDK and undici are loaded with the
 * first challenge, refresh or login.
 *
 * Without `authorize`, no person is ever asked: a challenge that a refresh cannot meet rejects with `MCP_AUTH_REQUIRED` and names the
 * login command. The owner and each `principal` have logins of their own.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist or cannot be used, such as a `clientMetadataUrl` that is no https
 * URL with a path
 */
export function createOAuth(options: OAuthOptions = {}): OAuth {
  checkOptions(options, OAUTH_OPTIONS);
  return new RunningOAuth(options);
}

/** How many logins of users are kept ready; those used longest ago are read from the vault again. */
const MOST_ACCOUNTS = 1_000;

class RunningOAuth implements OAuth {
  readonly #context: AccountContext;
  readonly #closing = new AbortController();
  /** By user and server URL, those used last at the end. */
  readonly #accounts = new Map<string, Account>();
  /** Why stored logins could not be read; each reason is told once. */
  readonly #warned = new Set<string>();
  #closed: Promise<void> | undefined;

  constructor(options: OAuthOptions) {
    const { vault = createMemoryVault(), log = silentLogger, now = Date.now } = options;
    this.#context = {
      options: { ...options, vault, log, now },
      entries: new EntryReader(options, log),
      network: new AuthorizationNetwork(options.trustedHosts, options.http),
      closing: this.#closing.signal,
    };
  }

  async headers(
    server: ResolvedServer,
    { principal, request }: WhoseRequest = {},
  ): Promise<Record<string, string>> {
    // An entry whose settings cannot be used may still need no login; if it does, the challenge says what is wrong.
    const entry = await this.#context.entries.current(server, principal).catch(() => undefined);
    if (entry === undefined) return {};
    return (await this.#headersOf(entry, request ?? { method: "POST", url: entry.server.url })) ?? {};
  }

  async account(server: ResolvedServer, { principal }: WhoseLogin = {}): Promise<string | undefined> {
    try {
      const entry = await this.#context.entries.current(server, principal);
      return entry && (await this.#accountOf(entry.server, principal).login(entry));
    } catch {
      return undefined;
    }
  }

  /** Treats an unreadable vault as no login: most servers need none, and for one that does, the challenge reports the problem. */
  async #headersOf(entry: Entry, request: CredentialedRequest): Promise<Record<string, string> | undefined> {
    try {
      return await this.#accountOf(entry.server, entry.principal).headers(entry, request);
    } catch (error) {
      if (this.#closing.signal.aborted) return undefined;
      const reason = thrownMessage(error);
      if (!this.#warned.has(reason)) {
        this.#warned.add(reason);
        const message = "Stored logins cannot be read; requests are sent without them.";
        this.#context.options.log("warn", message, { reason });
      }
      return undefined;
    }
  }

  async onChallenge(
    server: ResolvedServer,
    challenge: AuthChallenge,
    { principal, signal }: CredentialOptions,
  ): Promise<"retry" | "fail"> {
    try {
      const entry = await this.#context.entries.read(server, principal);
      if (entry) return await this.#accountOf(entry.server, principal).meet(entry, challenge, signal);
      if (!("url" in server)) return "fail";
      const refused = `it refused access (HTTP ${challenge.status}), and ${SWITCHED_OFF}`;
      throw authRequired(server.name, `${refused}. Give its entry a valid Authorization header.`);
    } catch (error) {
      throw challengeError(error, server, challenge);
    }
  }

  useNetwork(network: NonNullable<OAuthOptions["http"]>): void {
    this.#context.network.use(network);
  }

  async login(server: ResolvedServer, options: LoginOptions = {}): Promise<CredentialSummary> {
    checkOptions(options, LOGIN_OPTIONS);
    const { signal = this.#closing.signal, scopes, principal } = options;
    const { authorize = this.#context.options.authorize } = options;
    const entry = await this.#requireEntry(server, principal);
    if (authorize === undefined) {
      const reason = "the login page cannot be shown; pass `authorize` to `login` or `createOAuth`.";
      throw authRequired(server.name, reason);
    }
    const challenge = await this.#askForChallenge(entry, signal);
    const login = { challenge, signal, scopes, authorize };
    return summarizeCredential(await this.#accountOf(entry.server, principal).logIn(entry, login));
  }

  async beginLogin(
    principal: string,
    server: ResolvedServer,
    options: BeginLoginOptions,
  ): Promise<BegunLogin> {
    checkOptions(options, BEGIN_LOGIN_OPTIONS);
    const { session, scopes, signal = this.#closing.signal } = options;
    requireText(session, "session", "what only this user's browser has, such as the id of its session");
    requireText(principal, "principal", "the user who logs in");
    const { redirectUri } = this.#context.options;
    if (redirectUri === undefined)
      throw invalid('A login that ends in another request needs "redirectUri" of "createOAuth".');
    const notes = this.#requireNotes();
    const entry = await this.#requireEntry(server, principal);
    const challenge = await this.#askForChallenge(entry, signal);
    const account = this.#accountOf(entry.server, principal);
    const login = { principal, session, scopes, signal, challenge, redirectUri, notes };
    return account.beginLogin(entry, login);
  }

  async finishLogin(response: LoginResponse, options: FinishLoginOptions): Promise<FinishedLogin> {
    checkOptions(options, FINISH_LOGIN_OPTIONS);
    const { session, signal = this.#closing.signal } = options;
    requireText(session, "session", "what was given to beginLogin for this user's browser");
    const notes = this.#requireNotes();
    const { takeWebLogin } = await import("./flow/web-login.ts");
    const taken = await takeWebLogin(response, { notes, session });
    const { principal, server } = taken.pending;
    const entry = await this.#requireEntry({ ...server, headers: {}, secrets: [] }, principal);
    const granted = await this.#accountOf(entry.server, principal).finishLogin(entry, taken, {
      notes,
      signal,
    });
    return { principal, server: server.name, ...summarizeCredential(granted) };
  }

  async logout(server: ResolvedServer, { principal }: WhoseLogin = {}): Promise<boolean> {
    const remote = requireRemote(server);
    const named = await this.#context.entries.namedClient(remote, principal);
    return this.#accountOf(remote, principal).logOut(named);
  }

  close(): Promise<void> {
    this.#closing.abort(new McpError("MCP_CLOSED", "OAuth was closed."));
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map((account) => account.settled()));
    await this.#context.network.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @throws McpError `MCP_CONFIG_INVALID` if the vault keeps the logins of one user only, and there is another */
  #accountOf({ url }: ResolvedRemoteServer, principal: string | undefined): Account {
    const serverUrl = canonicalServerUrl(url);
    const key = JSON.stringify([principal, serverUrl]);
    const account =
      this.#accounts.get(key) ?? new Account(serverUrl, this.#vaultOf(principal), this.#context);
    this.#accounts.delete(key);
    this.#accounts.set(key, account);
    for (const [oldest, { isNeeded }] of this.#accounts) {
      if (this.#accounts.size <= MOST_ACCOUNTS) break;
      if (!isNeeded) this.#accounts.delete(oldest);
    }
    return account;
  }

  #vaultOf(principal: string | undefined): TokenVault {
    const { vault } = this.#context.options;
    if (principal === undefined) return vault;
    if (vault.forPrincipal) return vault.forPrincipal(principal);
    throw invalid(
      'This vault keeps the logins of one user: it has no "forPrincipal". Use another vault, such as keyvTokenVault.',
    );
  }

  #requireNotes(): VaultNotes {
    const { notes } = this.#context.options.vault;
    if (notes) return notes;
    throw invalid(
      'This vault cannot keep a login that has begun: it has no "notes". Use another vault, such as keyvTokenVault.',
    );
  }

  async #requireEntry(server: ResolvedServer, principal: string | undefined): Promise<Entry> {
    const entry = await this.#context.entries.read(server, principal);
    if (entry?.settings.program) throw noLogin(requireRemote(server), FOR_PROGRAM);
    if (entry) return entry;
    throw noLogin(requireRemote(server), SWITCHED_OFF);
  }

  /** Sends a request that needs no session, and reads only the challenge of the answer. Without an answer there is no challenge. */
  async #askForChallenge(entry: Entry, signal: AbortSignal): Promise<ReadChallenge> {
    try {
      const { server } = entry;
      const { network, closing } = this.#context;
      const serverUrl = canonicalServerUrl(server.url);
      const fetchHeaders = await network.fetchHeadersFor(entry, AbortSignal.any([signal, closing]));
      const response = await fetchHeaders(serverUrl, server.transport === "sse" ? STREAM_PROBE : PROBE);
      const wwwAuthenticate = response.headers.get("www-authenticate") ?? undefined;
      return response.status === 401 ? readChallenge({ wwwAuthenticate }) : NO_CHALLENGE;
    } catch {
      if (signal.aborted) throw givenUp(signal);
      return NO_CHALLENGE;
    }
  }
}

function invalid(message: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

function requireText(value: unknown, name: string, meaning: string): void {
  if (typeof value === "string" && value !== "") return;
  throw invalid(`"${name}" must be a text that is not empty: ${meaning}.`);
}

const FOR_PROGRAM = "its entry is for a program without a user, which needs no login";

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
