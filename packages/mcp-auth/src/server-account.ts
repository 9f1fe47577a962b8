import type { AuthChallenge, Logger, ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";
import { givenUp, withoutRetry } from "./account-error.ts";
import { type ReadChallenge, readChallenge } from "./challenge.ts";
import type { CredentialCache, Redeem } from "./credential-cache.ts";
import { createDeclinedScopes } from "./declined-scopes.ts";
import type { AuthorizationSettings, NamedClient } from "./entry-settings.ts";
import { type Authority, type DiscoverAuthorityOptions, discoverAuthority } from "./flow/authority.ts";
import { adviseLogin, authRequired, quote } from "./flow/login-error.ts";
import { refresh } from "./flow/refresh.ts";
import { chooseScopes, splitScopes } from "./flow/scope-choice.ts";
import type { CallbackOptions, OAuthOptions, ShowAuthorizationPage } from "./oauth-options.ts";
import { loadSdk } from "./sdk.ts";
import { createSharedLogin } from "./shared-login.ts";
import { loginOf } from "./vault/credential.ts";
import type { StoredCredential } from "./vault/token-vault.ts";

/** A token refused this soon after a login would be refused after the next one too, so no further login is started. */
const JUST_LOGGED_IN_MS = 10_000;

/** How often a server may cause a login with more scopes: it can invent any number of scopes, and each time a person is interrupted. */
const MOST_STEP_UPS = 3;
const STEP_UPS_WITHIN_MS = 3_600_000;

/** A server's entry, with its authorization settings. */
export interface AccountEntry {
  readonly server: ResolvedRemoteServer;
  readonly settings: AuthorizationSettings;
  /** Whether the user, and not a cloned project, configured the server. */
  readonly isUsersOwn: boolean;
}

export interface ServerAccountOptions extends Pick<OAuthOptions, "authorize"> {
  readonly credential: CredentialCache;
  readonly clientName: string;
  readonly clientMetadataUrl: string | undefined;
  readonly callback: CallbackOptions;
  readonly loginCommand: (name: string) => string;
  readonly now: () => number;
  readonly log: Logger;
  /** Returns the fetch for requests to authorization servers. The signal ends every request; without one, only the timeout does. */
  fetchFor(entry: AccountEntry, signal?: AbortSignal): Promise<FetchLike>;
  /** Reads the entry's settings again, so that a current secret is used. */
  settingsOf(entry: AccountEntry): Promise<AuthorizationSettings>;
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

/** A parsed challenge, and the entry's credential that did not meet it. */
interface UnmetChallenge {
  readonly read: ReadChallenge;
  readonly ownCredential: StoredCredential | undefined;
  readonly signal: AbortSignal;
}

/** The login to one server URL. Concurrent login requests share one login. */
export interface ServerAccount {
  /** The access token for the next request, renewed if it is about to expire; `undefined` without a login. */
  token(entry: AccountEntry): Promise<string | undefined>;
  /** The identifier of the login that `token` belongs to; `undefined` without one. */
  login(entry: AccountEntry): Promise<string | undefined>;
  /** Meets a challenge: with a stored or renewed token, else with a login if the options allow one. */
  meet(entry: AccountEntry, challenge: AuthChallenge, signal: AbortSignal): Promise<"retry" | "fail">;
  logIn(entry: AccountEntry, login: AccountLogin): Promise<StoredCredential>;
  /** Deletes the login if it is `named`'s, or any login without `named`; returns whether there was one. */
  logOut(named?: NamedClient): Promise<boolean>;
  /** Resolves when no refresh token is being redeemed. */
  settled(): Promise<void>;
}

export function createServerAccount(options: ServerAccountOptions): ServerAccount {
  return new Account(options);
}

class Account implements ServerAccount {
  readonly #options: ServerAccountOptions;
  /** The token last given to each server. If a refused token is no longer the current one, a retry suffices. */
  readonly #given = new WeakMap<ResolvedRemoteServer, string>();
  readonly #login = createSharedLogin();
  readonly #declined = createDeclinedScopes();
  /** When logins with more scopes were begun, in the last hour. They outlive connections, and whatever the person decided. */
  #stepUpsAt: readonly number[] = [];
  #lastLogin: { readonly issuer: string; readonly at: number } | undefined;

  constructor(options: ServerAccountOptions) {
    this.#options = options;
  }

  async token(entry: AccountEntry): Promise<string | undefined> {
    const { credential } = this.#options;
    const cached = await credential.current();
    if (cached === undefined || !isUsableFor(cached, entry)) return undefined;
    const current = await credential.renewIfDue(cached, this.#redeemFor(entry));
    // A login made during the renewal may be another client's.
    if (current === undefined || !isUsableFor(current, entry)) return undefined;
    const token = tokenOf(current);
    this.#given.set(entry.server, token);
    return token;
  }

  async login(entry: AccountEntry): Promise<string | undefined> {
    const stored = await this.#options.credential.current();
    return stored && isUsableFor(stored, entry) ? loginOf(stored) : undefined;
  }

  async meet(entry: AccountEntry, challenge: AuthChallenge, signal: AbortSignal): Promise<"retry" | "fail"> {
    const read = readChallenge(challenge);
    if (challenge.status === 403 && !read.isInsufficientScope) return "fail";
    const stored = await this.#options.credential.reload(signal);
    this.#declined.clearIfLoginChanged(stored && loginOf(stored));
    const ownCredential = stored && isUsableFor(stored, entry) ? stored : undefined;
    if (ownCredential && tokenOf(ownCredential) !== this.#given.get(entry.server)) return "retry";
    const unmet = { read, ownCredential, signal };
    return challenge.status === 403 ? this.#stepUp(entry, unmet) : this.#renewOrLogIn(entry, unmet);
  }

  /** Step-up authorization: logs in with more scopes. Those requested before and not granted are not requested again (threat T42). */
  async #stepUp(entry: AccountEntry, { read, ownCredential, signal }: UnmetChallenge): Promise<"retry"> {
    const { authorize, log, loginCommand } = this.#options;
    const { name } = entry.server;
    const missing = splitScopes(read.scope).filter((scope) => !ownCredential?.scopes.includes(scope));
    const wanted = quote(read.scope ?? "no scope named");
    if (ownCredential && missing.length === 0) {
      const reason = `it requires more access than its authorization server grants (${wanted}). Ask the operator of the server.`;
      throw authRequired(name, reason, { httpStatus: 403 });
    }
    const isInVain = this.#declined.include(missing);
    if (!authorize || isInVain) {
      // A login replaces the current one, so the command must name its scopes as well.
      const together = [...(ownCredential?.scopes ?? []), ...missing];
      const past = isInVain ? ", and an earlier request for more was declined" : "";
      const reason = `it requires more access than this login has (${wanted})${past}. ${adviseLogin(loginCommand, name, together)}`;
      throw authRequired(name, reason, { httpStatus: 403 });
    }
    log("info", "A server requires a login with more access.", { server: name, scopes: missing });
    await this.logIn(entry, { challenge: read, signal, authorize, isStepUp: true });
    return "retry";
  }

  /** @throws McpError `MCP_AUTH_REQUIRED` if the server has caused as many logins as it may */
  #countStepUp(
    { server: { name } }: AccountEntry,
    { scope }: ReadChallenge,
    earlier: readonly string[],
  ): void {
    const { now, loginCommand } = this.#options;
    const recent = this.#stepUpsAt.filter((at) => Math.abs(now() - at) < STEP_UPS_WITHIN_MS);
    this.#stepUpsAt = recent;
    if (recent.length >= MOST_STEP_UPS) {
      const wanted = [...new Set([...earlier, ...splitScopes(scope)])];
      const reason = `it asked for more access ${recent.length} times within an hour (now ${quote(scope ?? "no scope named")}), so no further login is started for it. Check what it asks for. ${adviseLogin(loginCommand, name, wanted)}`;
      throw authRequired(name, reason, { httpStatus: 403 });
    }
    this.#stepUpsAt = [...recent, now()];
  }

  /**
   * Refuses an authorization server other than the one that a client of the entry logged in to first: the server may name any, and its
   * operator could be sent the client's secret and a code. Only a logout forgets the first one.
   */
  #requireKnownIssuer(
    { server: { name }, settings: { clientId } }: AccountEntry,
    { issuer }: Authority,
    earlier: StoredCredential | undefined,
  ): void {
    if (clientId === undefined || earlier?.clientId !== clientId || earlier.issuer === issuer) return;
    const { loginCommand } = this.#options;
    const reason = `it names ${quote(issuer)} as its authorization server, but the client ${quote(clientId)} of its entry has logged in to ${quote(earlier.issuer)}; nothing was sent. If its operator has moved it, log out of it first, then log in again. ${adviseLogin(loginCommand, name)}`;
    throw authRequired(name, reason);
  }

  async #renewOrLogIn(
    entry: AccountEntry,
    { read, ownCredential, signal }: UnmetChallenge,
  ): Promise<"retry"> {
    const { credential, authorize, loginCommand } = this.#options;
    const { name } = entry.server;
    const authority = await this.#discover(entry, { challenge: read, earlier: ownCredential, signal });
    this.#requireKnownIssuer(entry, authority, await credential.current());
    if (ownCredential?.issuer === authority.issuer) {
      // If the resource has changed, the stored login is for the old one, and a renewed token would be refused as well.
      const isRenewable =
        isGrantedBy(ownCredential, authority) && ownCredential.tokens.refresh_token !== undefined;
      const renewed = isRenewable && (await credential.renew(ownCredential, this.#redeemFor(entry), signal));
      if (renewed && isUsableFor(renewed, entry)) return "retry";
      if (!renewed && this.#hasJustLoggedIn(authority)) {
        const reason =
          "it refused the token of the login that was just completed. Ask the operator of the server.";
        throw authRequired(name, reason, { httpStatus: 401 });
      }
    }
    if (!authorize) {
      const reason = `it requires a login. ${adviseLogin(loginCommand, name)}`;
      throw authRequired(name, reason, { httpStatus: 401 });
    }
    await this.logIn(entry, { challenge: read, signal, authorize });
    return "retry";
  }

  logIn(entry: AccountEntry, login: AccountLogin): Promise<StoredCredential> {
    const { challenge, signal, scopes = [], authorize } = login;
    const { clientId, resource, callback } = entry.settings;
    const { isInsufficientScope } = challenge;
    const subject = JSON.stringify([clientId, resource, callback, isInsufficientScope]);
    const wanted = [...splitScopes(challenge.scope), ...entry.settings.scopes, ...scopes];
    return this.#login.join({ subject, scopes: wanted, authorize, signal }, (ending) =>
      this.#logInAlone(entry, { ...login, signal: ending }),
    );
  }

  logOut(named?: NamedClient): Promise<boolean> {
    this.#declined.clear();
    return this.#options.credential.forget(named && ((stored) => isNamedBy(stored, { settings: named })));
  }

  settled(): Promise<void> {
    return this.#options.credential.settled();
  }

  async #logInAlone(
    entry: AccountEntry,
    { challenge, signal, scopes = [], authorize, isStepUp: isCounted = false }: AccountLogin,
  ): Promise<StoredCredential> {
    const { credential, fetchFor, closing, clientName, clientMetadataUrl, callback, now } = this.#options;
    const ending = AbortSignal.any([signal, closing]);
    await credential.requireWritableVault(ending);
    const earlier = await credential.reload(ending);
    const ownCredential = earlier && isUsableFor(earlier, entry) ? earlier : undefined;
    if (isCounted) this.#countStepUp(entry, challenge, ownCredential?.scopes ?? []);
    const authority = await this.#discover(entry, { challenge, earlier: ownCredential, signal: ending });
    this.#requireKnownIssuer(entry, authority, earlier);
    // Loaded late, because most processes use an existing login.
    const { logIn } = await import("./flow/login.ts");
    const isStepUp = challenge.isInsufficientScope && earlier && isGrantedBy(earlier, authority);
    let wasShown = false;
    let isDeclined = false;
    const granting = logIn({
      ...entry,
      sdk: await loadSdk(),
      fetch: await fetchFor(entry, ending),
      authority,
      authorize: (url, request) => {
        wasShown = true;
        return authorize(url, request);
      },
      clientName,
      clientMetadataUrl,
      callback,
      now,
      scopes: chooseScopes({
        challenged: challenge.scope,
        configured: [...entry.settings.scopes, ...scopes],
        earlier: isStepUp ? earlier.scopes : [],
        resourceScopes: authority.resourceScopes,
        issuerScopes: authority.metadata.scopes_supported,
      }),
      earlier,
      onDeadClient: (dead) => credential.forgetClient(dead),
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
    this.#lastLogin = { issuer: authority.issuer, at: now() };
    return granted;
  }

  async #remember({ scope }: ReadChallenge): Promise<void> {
    const current = await this.#options.credential.current().catch(() => undefined);
    this.#declined.add(splitScopes(scope), current && loginOf(current));
  }

  #hasJustLoggedIn({ issuer }: Authority): boolean {
    const last = this.#lastLogin;
    return last?.issuer === issuer && this.#options.now() - last.at < JUST_LOGGED_IN_MS;
  }

  async #discover(
    entry: AccountEntry,
    { signal, ...known }: Pick<DiscoverAuthorityOptions, "challenge" | "earlier"> & { signal: AbortSignal },
  ): Promise<Authority> {
    const fetch = await this.#options.fetchFor(entry, signal);
    return discoverAuthority({ sdk: await loadSdk(), fetch, ...known, ...entry });
  }

  #redeemFor(entry: AccountEntry): Redeem {
    const { fetchFor, settingsOf, closing, now } = this.#options;
    const { server } = entry;
    return async (credential, onSending) => {
      const settings = await settingsOf(entry);
      const fetch = await fetchFor(entry, closing);
      // Once sent, the old refresh token may be spent. Aborting the request could lose the login.
      const fetchWholly = await fetchFor(entry);
      const redeem: FetchLike = (url, init) => {
        onSending();
        return fetchWholly(url, init);
      };
      const sdk = await loadSdk();
      const refreshed = await refresh(credential, { sdk, fetch, redeem, server: server.name, settings, now });
      if (refreshed.kind === "renewed")
        this.#declined.replaceLogin(loginOf(credential), loginOf(refreshed.credential));
      return refreshed;
    };
  }
}

function tokenOf({ tokens }: StoredCredential): string {
  return tokens.access_token;
}

/** Whether a credential was granted by this issuer for this resource. */
function isGrantedBy(
  { issuer, resourceIndicator }: StoredCredential,
  authority: Pick<Authority, "issuer" | "resourceIndicator">,
): boolean {
  return issuer === authority.issuer && resourceIndicator === authority.resourceIndicator;
}

/** Whether a credential may be used for an entry. */
function isUsableFor(stored: StoredCredential, entry: { readonly settings: NamedClient }): boolean {
  return stored.isSpent !== true && isNamedBy(stored, entry);
}

/** Whether a credential belongs to an entry: one that names another client or resource needs its own login (threat T33). */
function isNamedBy(
  { clientId, resource }: StoredCredential,
  { settings }: { readonly settings: NamedClient },
): boolean {
  return (
    clientId === settings.clientId && (settings.resource === undefined || settings.resource === resource)
  );
}
