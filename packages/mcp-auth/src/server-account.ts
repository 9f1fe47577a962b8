import type { AuthChallenge, Logger, ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";
import { withoutRetry } from "./account-error.ts";
import { type ReadChallenge, readChallenge } from "./challenge.ts";
import { createDeclinedScopes } from "./declined-scopes.ts";
import type { AuthorizationSettings, NamedClient } from "./entry-settings.ts";
import { type Authority, type DiscoverAuthorityOptions, discoverAuthority } from "./flow/authority.ts";
import { adviseLogin, authRequired, quote } from "./flow/login-error.ts";
import { refresh } from "./flow/refresh.ts";
import { chooseScopes, splitScopes } from "./flow/scope-choice.ts";
import { givenUp } from "./given-up.ts";
import type { KeptCredential, Redeem } from "./kept-credential.ts";
import type { CallbackOptions, OAuthOptions, ShowAuthorizationPage } from "./oauth-options.ts";
import { loadSdk } from "./sdk.ts";
import { createSharedLogin } from "./shared-login.ts";
import { loginOf } from "./vault/credential.ts";
import type { StoredCredential } from "./vault/token-vault.ts";

/** A token that is refused so soon after a login would be refused after the next one too; nobody is asked in a circle. */
const JUST_LOGGED_IN_MS = 10_000;

/** A server as somebody wants to reach it: its entry, and what that says about authorization. */
export interface AccountHolder {
  readonly server: ResolvedRemoteServer;
  readonly settings: AuthorizationSettings;
  /** Whether the user named the server himself, and not a project that he has cloned. */
  readonly isUsersOwn: boolean;
}

export interface ServerAccountOptions extends Pick<OAuthOptions, "authorize"> {
  readonly credential: KeptCredential;
  readonly clientName: string;
  readonly clientMetadataUrl: string | undefined;
  readonly callback: CallbackOptions;
  readonly loginCommand: (name: string) => string;
  readonly now: () => number;
  readonly log: Logger;
  /** What every request to an authorization server goes through; it ends when the signal fires, or with its time where there is none. */
  fetchFor(holder: AccountHolder, signal?: AbortSignal): Promise<FetchLike>;
  /** The entry's settings as they are now: a secret is not kept longer than it is used. */
  settingsOf(holder: AccountHolder): Promise<AuthorizationSettings>;
  /** Fires when the whole is closed. */
  readonly closing: AbortSignal;
}

/** A login that somebody asked for, or that a challenge makes necessary. */
export interface AccountLogin {
  readonly challenge: ReadChallenge;
  readonly signal: AbortSignal;
  /** Asked for besides. */
  readonly scopes?: readonly string[] | undefined;
  readonly authorize: ShowAuthorizationPage;
}

/** A challenge that was read, and the credential that did not meet it. */
interface Met {
  readonly read: ReadChallenge;
  readonly own: StoredCredential | undefined;
  readonly signal: AbortSignal;
}

/** The login to one server, by its URL. Logins that are wanted at the same time are one. */
export interface ServerAccount {
  /** The access token for the next request, renewed if it is about to expire; `undefined` where nobody has logged in. */
  token(holder: AccountHolder): Promise<string | undefined>;
  /** Meets a challenge as far as nobody has to be asked, or may be. */
  meet(holder: AccountHolder, challenge: AuthChallenge, signal: AbortSignal): Promise<"retry" | "fail">;
  logIn(holder: AccountHolder, login: AccountLogin): Promise<StoredCredential>;
  /** Forgets the login if it is that of this client, or anybody's where none is named; tells whether there was one. */
  logOut(named?: NamedClient): Promise<boolean>;
  /** Resolves when no refresh token is being redeemed. */
  settled(): Promise<void>;
}

export function createServerAccount(options: ServerAccountOptions): ServerAccount {
  return new Account(options);
}

class Account implements ServerAccount {
  readonly #options: ServerAccountOptions;
  /** The token each server was last given. One that was refused, and is not the current one any more, needs no login. */
  readonly #given = new WeakMap<ResolvedRemoteServer, string>();
  readonly #login = createSharedLogin();
  readonly #declined = createDeclinedScopes();
  #lastLogin: { readonly issuer: string; readonly at: number } | undefined;

  constructor(options: ServerAccountOptions) {
    this.#options = options;
  }

  async token(holder: AccountHolder): Promise<string | undefined> {
    const { credential } = this.#options;
    const known = await credential.current();
    if (known === undefined || !isFor(known, holder)) return undefined;
    const current = await credential.renewIfDue(known, this.#redeemFor(holder));
    // Whoever has logged in while a renewal was waited for may have done so as another client.
    if (current === undefined || !isFor(current, holder)) return undefined;
    const token = tokenOf(current);
    this.#given.set(holder.server, token);
    return token;
  }

  async meet(
    holder: AccountHolder,
    challenge: AuthChallenge,
    signal: AbortSignal,
  ): Promise<"retry" | "fail"> {
    const read = readChallenge(challenge);
    if (challenge.status === 403 && !read.isInsufficientScope) return "fail";
    const stored = await this.#options.credential.look(signal);
    this.#declined.see(stored && loginOf(stored));
    const own = stored && isFor(stored, holder) ? stored : undefined;
    if (own && tokenOf(own) !== this.#given.get(holder.server)) return "retry";
    const met = { read, own, signal };
    return challenge.status === 403 ? this.#widen(holder, met) : this.#renewOrLogIn(holder, met);
  }

  /** What was asked for already, and not granted, is not asked for again (threat T42). */
  async #widen(holder: AccountHolder, { read, own, signal }: Met): Promise<"retry"> {
    const { authorize, log, loginCommand } = this.#options;
    const { name } = holder.server;
    const missing = splitScopes(read.scope).filter((scope) => !own?.scopes.includes(scope));
    const wanted = quote(read.scope ?? "no scope is named");
    if (own && missing.length === 0) {
      const fact = `it wants more than its authorization server grants (${wanted}). Ask whoever runs it.`;
      throw authRequired(name, fact, { httpStatus: 403 });
    }
    const isInVain = this.#declined.include(missing);
    if (!authorize || isInVain) {
      // A login takes the place of the one there is, so one with the missing scopes alone would miss the others.
      const together = [...(own?.scopes ?? []), ...missing];
      const past = isInVain ? ", and a login that may do more was asked for in vain" : "";
      const fact = `it wants more than this login may do (${wanted})${past}. ${adviseLogin(loginCommand, name, together)}`;
      throw authRequired(name, fact, { httpStatus: 403 });
    }
    log("info", "a server wants a login that may do more", { server: name, scopes: missing });
    await this.logIn(holder, { challenge: read, signal, authorize });
    return "retry";
  }

  async #renewOrLogIn(holder: AccountHolder, { read, own, signal }: Met): Promise<"retry"> {
    const { credential, authorize, loginCommand } = this.#options;
    const { name } = holder.server;
    const authority = await this.#discover(holder, { challenge: read, earlier: own, signal });
    if (own?.issuer === authority.issuer) {
      // For another resource there is no login yet, and a token for the old one would be refused as well.
      const isRenewable = isGrantedBy(own, authority) && own.tokens.refresh_token !== undefined;
      const renewed = isRenewable && (await credential.renew(own, this.#redeemFor(holder), signal));
      if (renewed && isFor(renewed, holder)) return "retry";
      if (!renewed && this.#hasJustLoggedIn(authority)) {
        const fact = "it refuses the token of the login that was just made. Ask whoever runs it.";
        throw authRequired(name, fact, { httpStatus: 401 });
      }
    }
    if (!authorize) {
      const fact = `it wants a login. ${adviseLogin(loginCommand, name)}`;
      throw authRequired(name, fact, { httpStatus: 401 });
    }
    await this.logIn(holder, { challenge: read, signal, authorize });
    return "retry";
  }

  logIn(holder: AccountHolder, login: AccountLogin): Promise<StoredCredential> {
    const { challenge, signal, scopes = [], authorize } = login;
    const { clientId, resource, callback } = holder.settings;
    const { isInsufficientScope } = challenge;
    const subject = JSON.stringify([clientId, resource, callback, isInsufficientScope]);
    const wanted = [...splitScopes(challenge.scope), ...holder.settings.scopes, ...scopes];
    return this.#login.join({ subject, scopes: wanted, authorize, signal }, (ending) =>
      this.#logInAlone(holder, { ...login, signal: ending }),
    );
  }

  logOut(named?: NamedClient): Promise<boolean> {
    this.#declined.clear();
    return this.#options.credential.forget(named && ((stored) => isFor(stored, { settings: named })));
  }

  settled(): Promise<void> {
    return this.#options.credential.settled();
  }

  async #logInAlone(
    holder: AccountHolder,
    { challenge, signal, scopes = [], authorize }: AccountLogin,
  ): Promise<StoredCredential> {
    const { credential, fetchFor, closing, clientName, clientMetadataUrl, callback, now } = this.#options;
    const ending = AbortSignal.any([signal, closing]);
    await credential.requireVault(ending);
    const earlier = await credential.look(ending);
    const own = earlier && isFor(earlier, holder) ? earlier : undefined;
    const authority = await this.#discover(holder, { challenge, earlier: own, signal: ending });
    // Most programs use a login that was made before.
    const { logIn } = await import("./flow/login.ts");
    const isWidened = challenge.isInsufficientScope && earlier && isGrantedBy(earlier, authority);
    let wasShown = false;
    let isDeclined = false;
    const granting = logIn({
      ...holder,
      sdk: await loadSdk(),
      fetch: await fetchFor(holder, ending),
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
        configured: [...holder.settings.scopes, ...scopes],
        earlier: isWidened ? earlier.scopes : [],
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
    holder: AccountHolder,
    { signal, ...known }: Pick<DiscoverAuthorityOptions, "challenge" | "earlier"> & { signal: AbortSignal },
  ): Promise<Authority> {
    const fetch = await this.#options.fetchFor(holder, signal);
    return discoverAuthority({ sdk: await loadSdk(), fetch, ...known, ...holder });
  }

  #redeemFor(holder: AccountHolder): Redeem {
    const { fetchFor, settingsOf, closing, now } = this.#options;
    const { server } = holder;
    return async (credential, onSending) => {
      const settings = await settingsOf(holder);
      const fetch = await fetchFor(holder, closing);
      // Once it is sent the old refresh token may be spent: to give the answer up would be to lose the login.
      const fetchWholly = await fetchFor(holder);
      const redeem: FetchLike = (url, init) => {
        onSending();
        return fetchWholly(url, init);
      };
      const sdk = await loadSdk();
      const refreshed = await refresh(credential, { sdk, fetch, redeem, server: server.name, settings, now });
      if (refreshed.kind === "renewed")
        this.#declined.renew(loginOf(credential), loginOf(refreshed.credential));
      return refreshed;
    };
  }
}

function tokenOf({ tokens }: StoredCredential): string {
  return tokens.access_token;
}

/** Whether a credential is what this issuer would give for this resource. */
function isGrantedBy(
  { issuer, resourceIndicator }: StoredCredential,
  authority: Pick<Authority, "issuer" | "resourceIndicator">,
): boolean {
  return issuer === authority.issuer && resourceIndicator === authority.resourceIndicator;
}

/** Whether a credential may be used for an entry: one that names another client, or another resource, wants a login of its own (threat T33). */
function isFor(
  { clientId, resource }: StoredCredential,
  { settings }: { readonly settings: NamedClient },
): boolean {
  return (
    clientId === settings.clientId && (settings.resource === undefined || settings.resource === resource)
  );
}
