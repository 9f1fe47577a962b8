import type {
  AuthChallenge,
  CredentialedRequest,
  Logger,
  NeededLogin,
  ResolvedRemoteServer,
} from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";
import { type ReadChallenge, readChallenge } from "./challenge.ts";
import { CredentialCache, type Redeem } from "./credential-cache.ts";
import type { Entry, EntryReader, NamedClient } from "./entry-settings.ts";
import { adviseLogin, authRequired, givenUp, loginByName, quote, withoutRetry } from "./errors.ts";
import { type Authority, type DiscoverAuthorityOptions, discoverAuthority } from "./flow/authority.ts";
import { AuthorizationHeaders } from "./flow/authorization-headers.ts";
import { isSameIdentifier } from "./flow/metadata.ts";
import { refresh } from "./flow/refresh.ts";
import { chooseScopes, splitScopes } from "./flow/scope-choice.ts";
import type { WebLoginResponse } from "./flow/web-login.ts";
import type { AuthorizationNetwork } from "./network/authorization-network.ts";
import type { BegunLogin, OAuthOptions, ShowAuthorizationPage } from "./oauth-options.ts";
import { ProgramToken } from "./program-token.ts";
import { loadSdk } from "./sdk.ts";
import { SharedLogin } from "./shared-login.ts";
import { StepUps } from "./step-ups.ts";
import { isGrantedBy, isNamedBy, isUsableFor, loginOf } from "./vault/credential.ts";
import type { StoredCredential, TokenVault, VaultNotes } from "./vault/token-vault.ts";

/** A token refused this soon after a login would be refused after the next one too, so no further login is started. */
const JUST_LOGGED_IN_MS = 10_000;

/** What all accounts of one `OAuth` share. */
export interface AccountContext {
  readonly options: Omit<OAuthOptions, "now" | "log" | "vault"> & {
    readonly now: () => number;
    readonly log: Logger;
    readonly vault: TokenVault;
  };
  readonly entries: EntryReader;
  readonly network: AuthorizationNetwork;
  /** Fires when the `OAuth` is closed. */
  readonly closing: AbortSignal;
}

/** A login that was requested, or that a challenge requires. */
export interface AccountLogin {
  readonly challenge: ReadChallenge;
  readonly signal: AbortSignal;
  /** Scopes to request in addition. */
  readonly scopes?: readonly string[] | undefined;
  readonly authorize: ShowAuthorizationPage;
  /** A running request needs more scopes. Default false. */
  readonly isStepUp?: boolean | undefined;
}

/** A login that begins in one call and ends in another. */
export interface WebLogin extends Omit<AccountLogin, "authorize" | "isStepUp"> {
  readonly principal: string;
  readonly session: string;
  readonly redirectUri: string;
  readonly notes: VaultNotes;
}

/** A parsed challenge, and the entry's credential that did not meet it. */
interface UnmetChallenge {
  readonly read: ReadChallenge;
  readonly ownCredential: StoredCredential | undefined;
  readonly signal: AbortSignal;
}

/** The login to one server URL, and all that is known of it. Concurrent login requests share one login. */
export class Account {
  readonly #context: AccountContext;
  readonly #credential: CredentialCache;
  /** The token last given to each server. If a refused token is no longer the current one, a retry suffices. */
  readonly #given = new WeakMap<ResolvedRemoteServer, string>();
  readonly #login = new SharedLogin();
  readonly #program: ProgramToken;
  readonly #stepUps: StepUps;
  readonly #sent = new AuthorizationHeaders();
  #lastLogin: { readonly issuer: string; readonly at: number } | undefined;

  constructor(serverUrl: string, vault: TokenVault, context: AccountContext) {
    const { options, closing } = context;
    this.#context = context;
    this.#credential = new CredentialCache({ ...options, vault, serverUrl, signal: closing });
    this.#stepUps = new StepUps(options.now);
    this.#program = new ProgramToken(context);
  }

  /** The headers of the next request, with a token that is renewed if it is about to expire; `undefined` without a login. */
  async headers(entry: Entry, request: CredentialedRequest): Promise<Record<string, string> | undefined> {
    if (entry.settings.program) {
      const granted = await this.#program.current(entry);
      return granted && this.#sent.of(granted, request);
    }
    const cached = await this.#credential.current();
    if (cached === undefined || !isUsableFor(cached, entry)) return undefined;
    const current = await this.#credential.renewIfDue(cached, this.#redeemFor(entry));
    // A login made during the renewal may be another client's.
    if (current === undefined || !isUsableFor(current, entry)) return undefined;
    this.#given.set(entry.server, current.tokens.access_token);
    return this.#sent.of(current, request);
  }

  /** The identifier of the login that the headers stand for; `undefined` without one. */
  async login(entry: Entry): Promise<string | undefined> {
    if (entry.settings.program) return this.#program.login(entry);
    const stored = await this.#credential.current();
    return stored && isUsableFor(stored, entry) ? loginOf(stored) : undefined;
  }

  /** Meets a challenge: with a stored or renewed token, else with a login if the options allow one. */
  async meet(entry: Entry, challenge: AuthChallenge, signal: AbortSignal): Promise<"retry" | "fail"> {
    if (await this.#sent.takeNonce(challenge, entry.server.url)) return "retry";
    if (entry.settings.program) return this.#program.meet(entry, challenge, signal);
    const read = readChallenge(challenge);
    if (challenge.status === 403 && !read.isInsufficientScope) return "fail";
    const stored = await this.#credential.reload(signal);
    this.#stepUps.clearIfLoginChanged(stored && loginOf(stored));
    const ownCredential = stored && isUsableFor(stored, entry) ? stored : undefined;
    if (ownCredential && ownCredential.tokens.access_token !== this.#given.get(entry.server)) return "retry";
    const unmet = { read, ownCredential, signal };
    return challenge.status === 403 ? this.#stepUp(entry, unmet) : this.#renewOrLogIn(entry, unmet);
  }

  /** Step-up authorization: logs in with more scopes. Those requested before and not granted are not requested again (threat T42). */
  async #stepUp(entry: Entry, { read, ownCredential, signal }: UnmetChallenge): Promise<"retry"> {
    const { authorize, log } = this.#context.options;
    const { name } = entry.server;
    const missing = splitScopes(read.scope).filter((scope) => !ownCredential?.scopes.includes(scope));
    const wanted = quote(read.scope ?? "no scope named");
    if (ownCredential && missing.length === 0) {
      const reason = `it requires more access than its authorization server grants (${wanted}). Ask the operator of the server.`;
      throw authRequired(name, reason, { httpStatus: 403 });
    }
    const isInVain = this.#stepUps.areDeclined(missing);
    if (!authorize || isInVain) {
      // A login replaces the current one, so the command must name its scopes as well.
      const together = [...(ownCredential?.scopes ?? []), ...missing];
      const past = isInVain ? ", and an earlier request for more was declined" : "";
      const reason = `it requires more access than this login has (${wanted})${past}. ${this.#advice(entry, together)}`;
      throw authRequired(name, reason, { httpStatus: 403, login: neededLogin(entry, together) });
    }
    log("info", "A server requires a login with more access.", { server: name, scopes: missing });
    await this.logIn(entry, { challenge: read, signal, authorize, isStepUp: true });
    return "retry";
  }

  /** @throws McpError `MCP_AUTH_REQUIRED` if the server has caused as many logins as it may */
  #countStepUp(entry: Entry, { scope }: ReadChallenge, earlier: readonly string[]): void {
    const { name } = entry.server;
    const recent = this.#stepUps.begin();
    if (recent === undefined) return;
    const wanted = [...new Set([...earlier, ...splitScopes(scope)])];
    const reason = `it asked for more access ${recent} times within an hour (now ${quote(scope ?? "no scope named")}), so no further login is started for it. Check what it asks for. ${this.#advice(entry, wanted)}`;
    throw authRequired(name, reason, { httpStatus: 403 });
  }

  /**
   * Refuses an authorization server other than the one that a client of the entry logged in to first: the server may name any, and its
   * operator could be sent the client's secret and a code. Only a logout forgets the first one.
   */
  #requireKnownIssuer(entry: Entry, { issuer }: Authority, earlier: StoredCredential | undefined): void {
    const { server, settings } = entry;
    const { name } = server;
    const { clientId, byHand } = settings;
    if (clientId === undefined || byHand || earlier?.clientId !== clientId) return;
    if (isSameIdentifier(earlier.issuer, issuer)) return;
    const reason = `it names ${quote(issuer)} as its authorization server, but the client ${quote(clientId)} of its entry has logged in to ${quote(earlier.issuer)}; nothing was sent. If its operator has moved it, log out of it first, then log in again. ${this.#advice(entry)}`;
    throw authRequired(name, reason);
  }

  async #renewOrLogIn(entry: Entry, { read, ownCredential, signal }: UnmetChallenge): Promise<"retry"> {
    const { authorize } = this.#context.options;
    const { name } = entry.server;
    const authority = await this.#discover(entry, { challenge: read, earlier: ownCredential, signal });
    this.#requireKnownIssuer(entry, authority, await this.#credential.current());
    if (ownCredential && isSameIdentifier(ownCredential.issuer, authority.issuer)) {
      // If the resource has changed, the stored login is for the old one, and a renewed token would be refused as well.
      const isRenewable =
        isGrantedBy(ownCredential, authority) && ownCredential.tokens.refresh_token !== undefined;
      const renewed =
        isRenewable && (await this.#credential.renew(ownCredential, this.#redeemFor(entry), signal));
      if (renewed && isUsableFor(renewed, entry)) return "retry";
      if (!renewed && this.#hasJustLoggedIn(authority)) {
        const reason =
          "it refused the token of the login that was just completed. Ask the operator of the server.";
        throw authRequired(name, reason, { httpStatus: 401 });
      }
    }
    if (!authorize) {
      const reason = `it requires a login. ${this.#advice(entry)}`;
      throw authRequired(name, reason, {
        httpStatus: 401,
        login: neededLogin(entry, splitScopes(read.scope)),
      });
    }
    await this.logIn(entry, { challenge: read, signal, authorize });
    return "retry";
  }

  logIn(entry: Entry, login: AccountLogin): Promise<StoredCredential> {
    const { challenge, signal, scopes = [], authorize } = login;
    const { clientId, resource, callback } = entry.settings;
    const { isInsufficientScope } = challenge;
    const subject = JSON.stringify([clientId, resource, callback, isInsufficientScope]);
    const wanted = [...splitScopes(challenge.scope), ...entry.settings.scopes, ...scopes];
    return this.#login.join({ subject, scopes: wanted, authorize, signal }, (ending) =>
      this.#logInAlone(entry, { ...login, signal: ending }),
    );
  }

  /** Deletes the login if it is `named`'s, or any login without `named`; returns whether there was one. */
  logOut(named?: NamedClient): Promise<boolean> {
    this.#stepUps.clear();
    return this.#credential.forget(named && ((stored) => isNamedBy(stored, { settings: named })));
  }

  /** Whether something would be lost with this object. */
  get isNeeded(): boolean {
    return this.#credential.isBusy;
  }

  /** Resolves when no refresh token is being redeemed. */
  settled(): Promise<void> {
    return this.#credential.settled();
  }

  /**
   * Begins a login that any machine can finish.
   *
   * @throws McpError `MCP_AUTH_REQUIRED` if there is no usable authorization server or client
   */
  async beginLogin(entry: Entry, { session, redirectUri, notes, ...login }: WebLogin): Promise<BegunLogin> {
    const { options } = this.#context;
    const { clientName = "Jackfield", clientMetadataUrl, now } = options;
    const prepared = await this.#prepareLogin(entry, login);
    const { beginWebLogin } = await import("./flow/web-login.ts");
    return beginWebLogin({
      ...prepared,
      ...entry,
      principal: login.principal,
      sdk: await loadSdk(),
      fetch: await this.#fetchFor(entry, login.signal),
      clientName,
      clientMetadataUrl,
      now,
      notes,
      redirectUri,
      session,
    });
  }

  /** Finishes a login that some machine has begun. */
  async finishLogin(
    entry: Entry,
    response: WebLoginResponse,
    { notes, signal }: Pick<WebLogin, "notes" | "signal">,
  ) {
    const { now } = this.#context.options;
    const { redeemWebLogin } = await import("./flow/web-login.ts");
    const credential = this.#credential;
    const granted = await redeemWebLogin(response, {
      sdk: await loadSdk(),
      fetch: await this.#fetchFor(entry, signal),
      settings: entry.settings,
      notes,
      now,
      onDeadClient: async () => {
        const earlier = await credential.reload(signal);
        if (earlier) await credential.forgetClient(earlier);
      },
    });
    await credential.replace(granted);
    this.#lastLogin = { issuer: granted.issuer, at: now() };
    return granted;
  }

  /** What every login needs to know first. */
  async #prepareLogin(
    entry: Entry,
    { challenge, signal, scopes = [], isStepUp: isCounted = false }: Omit<AccountLogin, "authorize">,
  ) {
    const credential = this.#credential;
    await credential.requireWritableVault(signal);
    const earlier = await credential.reload(signal);
    const ownCredential = earlier && isUsableFor(earlier, entry) ? earlier : undefined;
    if (isCounted) this.#countStepUp(entry, challenge, ownCredential?.scopes ?? []);
    const authority = await this.#discover(entry, { challenge, earlier: ownCredential, signal });
    this.#requireKnownIssuer(entry, authority, earlier);
    const isStepUp = challenge.isInsufficientScope && earlier && isGrantedBy(earlier, authority);
    const chosen = chooseScopes({
      challenged: challenge.scope,
      configured: [...entry.settings.scopes, ...scopes],
      earlier: isStepUp ? earlier.scopes : [],
      resourceScopes: authority.resourceScopes,
      issuerScopes: authority.metadata.scopes_supported,
    });
    return { earlier, authority, scopes: chosen };
  }

  async #logInAlone(entry: Entry, login: AccountLogin): Promise<StoredCredential> {
    const { challenge, signal, authorize } = login;
    const { options, closing } = this.#context;
    const { clientName = "Jackfield", clientMetadataUrl, callback = {}, now } = options;
    const credential = this.#credential;
    const ending = AbortSignal.any([signal, closing]);
    const prepared = await this.#prepareLogin(entry, { ...login, signal: ending });
    // Loaded late, because most processes use an existing login.
    const { logIn } = await import("./flow/login.ts");
    let wasShown = false;
    let isDeclined = false;
    const granting = logIn({
      ...entry,
      ...prepared,
      sdk: await loadSdk(),
      fetch: await this.#fetchFor(entry, ending),
      authorize: (url, request) => {
        wasShown = true;
        return authorize(url, request);
      },
      clientName,
      clientMetadataUrl,
      callback,
      now,
      onDeadClient: async (dead) => {
        if (!closing.aborted) await credential.forgetClient(dead);
      },
      onDeclined: () => {
        isDeclined = challenge.isInsufficientScope;
      },
      signal: ending,
    });
    const granted = await granting.catch(async (error: unknown) => {
      if (isDeclined) await this.#remember(challenge);
      throw wasShown ? withoutRetry(error) : error;
    });
    if (ending.aborted) throw givenUp(ending);
    await credential.replace(granted);
    this.#lastLogin = { issuer: prepared.authority.issuer, at: now() };
    return granted;
  }

  async #remember({ scope }: ReadChallenge): Promise<void> {
    const current = await this.#credential.current().catch(() => undefined);
    this.#stepUps.decline(splitScopes(scope), current && loginOf(current));
  }

  #hasJustLoggedIn({ issuer }: Authority): boolean {
    const last = this.#lastLogin;
    if (last === undefined || !isSameIdentifier(last.issuer, issuer)) return false;
    return Math.abs(this.#context.options.now() - last.at) < JUST_LOGGED_IN_MS;
  }

  async #discover(
    entry: Entry,
    { signal, ...known }: Pick<DiscoverAuthorityOptions, "challenge" | "earlier"> & { signal: AbortSignal },
  ): Promise<Authority> {
    const fetch = await this.#fetchFor(entry, signal);
    const { clientMetadataUrl } = this.#context.options;
    return discoverAuthority({ sdk: await loadSdk(), fetch, clientMetadataUrl, ...known, ...entry });
  }

  #redeemFor(entry: Entry): Redeem {
    const { entries, closing, network, options } = this.#context;
    const { server } = entry;
    return async (credential, onSending) => {
      const { settings } = (await entries.read(server, entry.principal)) ?? entry;
      const fetch = await network.fetchFor(entry, closing);
      // Once sent, the old refresh token may be spent. Aborting the request could lose the login.
      const fetchWholly = await network.fetchFor(entry);
      const redeem: FetchLike = async (url, init) => {
        await onSending();
        return fetchWholly(url, init);
      };
      const sdk = await loadSdk();
      const { now } = options;
      const refreshed = await refresh(credential, { sdk, fetch, redeem, server: server.name, settings, now });
      if (refreshed.kind === "renewed")
        this.#stepUps.replaceLogin(loginOf(credential), loginOf(refreshed.credential));
      return refreshed;
    };
  }

  #fetchFor(entry: Entry, signal: AbortSignal): Promise<FetchLike> {
    const { network, closing } = this.#context;
    return network.fetchFor(entry, AbortSignal.any([signal, closing]));
  }

  /** Tells how to log in: by hand, or as the user of a program, whom no command line helps. */
  #advice({ server: { name }, principal }: Entry, scopes?: readonly string[]): string {
    if (principal !== undefined) return `Let this user log in: the error's "login" is for "beginLogin".`;
    return adviseLogin(this.#context.options.loginCommand ?? loginByName, name, scopes);
  }
}

function neededLogin({ server: { name }, principal }: Entry, scopes: readonly string[]): NeededLogin {
  return { server: name, principal, scopes };
}
