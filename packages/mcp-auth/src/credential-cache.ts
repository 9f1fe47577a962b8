import { type Logger, Redactor, raceSignal, thrownText } from "@jackfield/mcp-core";
import { givenUp } from "./account-error.ts";
import { withoutRegistration } from "./flow/client-identity.ts";
import { secretsOf } from "./flow/login-secrets.ts";
import { isDue, type Refreshed } from "./flow/refresh.ts";
import { isSameCredential, spentCredential } from "./vault/credential.ts";
import type { StoredCredential, TokenVault } from "./vault/token-vault.ts";

/** How long the old token is used after a temporarily failed refresh before the next attempt. */
const REFRESH_PAUSE_MS = 30_000;

/** How long a logout or a new login waits for a renewal: enough to store one, but not to wait for an authorization server. */
const LONGEST_TURN_WAIT_MS = 1_000;

/** A credential that no vault contains. */
const ABSENT_CREDENTIAL: Omit<StoredCredential, "serverUrl"> = {
  issuer: "",
  resource: "",
  client: { client_id: "" },
  tokens: { access_token: "", token_type: "" },
  scopes: [],
  obtainedAt: 0,
};

export interface CredentialCacheOptions {
  readonly serverUrl: string;
  readonly vault: TokenVault;
  readonly now: () => number;
  readonly log: Logger;
  /** Fires when the credential is no longer needed. */
  readonly signal: AbortSignal;
}

/** Redeems the refresh token of a credential. It calls `onSending` right before it sends the token; that throws once all is closed. */
export type Redeem = (credential: StoredCredential, onSending: () => void) => Promise<Refreshed>;

/** One server's credential, cached from the vault. Renewals run one at a time across all processes that share the vault. */
export interface CredentialCache {
  /** The cached credential. It reads the vault the first time only, because this runs before every request. */
  current(): Promise<StoredCredential | undefined>;
  /** Reads the credential from the vault again. */
  reload(signal?: AbortSignal): Promise<StoredCredential | undefined>;
  /**
   * The credential for the next request. One that is about to expire is renewed in the background; one that has expired is renewed
   * first. A temporarily failed refresh changes nothing. It does not reject.
   */
  renewIfDue(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined>;
  /**
   * Renews a credential, unless another process has done so meanwhile. Returns `undefined` if its refresh token is no longer valid; the
   * credential is then deleted. A concurrent login or logout takes precedence. The signal ends this caller's wait only.
   *
   * @throws McpError if it failed for a reason that may be temporary, `MCP_ABORTED` if the signal fires
   */
  renew(
    credential: StoredCredential,
    redeem: Redeem,
    signal?: AbortSignal,
  ): Promise<StoredCredential | undefined>;
  /**
   * Checks that the vault can store a credential, so that no person logs in for nothing.
   *
   * @throws whatever the vault throws
   */
  requireWritableVault(signal: AbortSignal): Promise<void>;
  /** Replaces the credential. If storing it fails, this process still uses it, and the promise rejects. */
  replace(credential: StoredCredential): Promise<void>;
  /** Forgets the client's registration, so that the next login registers another. The tokens stay. */
  forgetClient(credential: StoredCredential): Promise<void>;
  /** Deletes the credential if `isMeant` accepts it, and returns whether there was one. Default: accepts any. */
  forget(isMeant?: (credential: StoredCredential) => boolean): Promise<boolean>;
  /** Resolves when no refresh token is being redeemed: the old one may be spent, so the answer must be stored. */
  settled(): Promise<void>;
}

export function createCredentialCache(options: CredentialCacheOptions): CredentialCache {
  return new VaultBackedCache(options);
}

class VaultBackedCache implements CredentialCache {
  readonly #options: CredentialCacheOptions;
  #cached: Promise<StoredCredential | undefined> | undefined;
  #renewal: Promise<StoredCredential | undefined> | undefined;
  /** What the vault contained when it was last read. */
  #lastRead: StoredCredential | undefined;
  /** A renewed credential that could not be stored, and the outdated one that the vault still holds. */
  #unsavedRenewal: { readonly outdated: StoredCredential; readonly renewed: StoredCredential } | undefined;
  #nextRefreshAt = 0;
  #isSending = false;

  constructor(options: CredentialCacheOptions) {
    this.#options = options;
  }

  current(): Promise<StoredCredential | undefined> {
    return this.#cached ?? this.reload();
  }

  reload(signal?: AbortSignal): Promise<StoredCredential | undefined> {
    const { vault, serverUrl } = this.#options;
    const reading = vault.forServer(serverUrl, signal).then((stored) => this.#newest(stored));
    this.#cached = reading;
    reading.catch(() => {
      if (this.#cached === reading) this.#cached = undefined;
    });
    return reading;
  }

  async renewIfDue(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined> {
    const { now, signal } = this.#options;
    const { expiresAt = Number.POSITIVE_INFINITY } = credential;
    if (signal.aborted || !isDue(credential, now()) || now() < this.#nextRefreshAt) return credential;
    const renewal = this.renew(credential, redeem).catch(() => credential);
    return now() < expiresAt ? credential : renewal;
  }

  renew(
    credential: StoredCredential,
    redeem: Redeem,
    waiting?: AbortSignal,
  ): Promise<StoredCredential | undefined> {
    this.#renewal ??= this.#renewInTurn(credential, redeem).finally(() => {
      this.#renewal = undefined;
    });
    return waiting ? raceSignal(this.#renewal, waiting, givenUp) : this.#renewal;
  }

  async settled(): Promise<void> {
    if (this.#isSending) await this.#renewal?.catch(() => undefined);
  }

  async requireWritableVault(ending: AbortSignal): Promise<void> {
    const { vault, serverUrl } = this.#options;
    using limit = limitTurnWait();
    try {
      // Deleting a credential that does not exist changes nothing, but needs the same access as a change.
      const tryToChange = async () =>
        void (await vault.delete(serverUrl, { ...ABSENT_CREDENTIAL, serverUrl }));
      await vault.exclusively(serverUrl, tryToChange, AbortSignal.any([ending, limit.signal]));
    } catch (error) {
      // If another process keeps the turn for longer, the vault is usable.
      if (!limit.signal.aborted || ending.aborted) throw error;
    }
  }

  replace(credential: StoredCredential): Promise<void> {
    return this.#betweenRenewals(() => this.#write(credential));
  }

  async forgetClient(credential: StoredCredential): Promise<void> {
    await this.#betweenRenewals(async () => {
      const stored = await this.reload();
      if (!stored || stored.client.client_id !== credential.client.client_id) return;
      await this.#write({ ...stored, client: withoutRegistration(stored.client) });
    });
  }

  async forget(isMeant = (_: StoredCredential) => true): Promise<boolean> {
    const { vault, serverUrl } = this.#options;
    const isStored = async () => {
      const stored = await vault.forServer(serverUrl);
      return stored !== undefined && isMeant(stored);
    };
    this.#cached = this.current().then(
      (cached) => (cached && !isMeant(cached) ? cached : undefined),
      () => undefined,
    );
    const stored = await vault.forServer(serverUrl);
    // Without a credential, no folder is created for a lock. Unusable files have no known owner, so they are removed for any `isMeant`.
    if (!stored) return vault.delete(serverUrl);
    if (!isMeant(stored)) return false;
    return this.#betweenRenewals(async () => {
      // A login made meanwhile may be another client's.
      if (!(await isStored())) return false;
      this.#cached = Promise.resolve(undefined);
      return vault.delete(serverUrl);
    });
  }

  /**
   * Makes a change that no renewal, in any process, may overwrite. It waits briefly for its turn, then acts without it: a longer turn is
   * a renewal that waits for an authorization server, and that reads the vault again before it writes.
   */
  async #betweenRenewals<T>(change: () => Promise<T>): Promise<T> {
    const { vault, serverUrl, signal } = this.#options;
    using limit = limitTurnWait();
    let hasBegun = false;
    const changeInTurn = () => {
      hasBegun = true;
      return change();
    };
    try {
      return await vault.exclusively(serverUrl, changeInTurn, AbortSignal.any([signal, limit.signal]));
    } catch (error) {
      if (hasBegun) throw error;
      return await change();
    }
  }

  async #write(credential: StoredCredential): Promise<void> {
    this.#cached = Promise.resolve(credential);
    await this.#options.vault.write(credential);
  }

  /** Renews within this server's turn. A failure is logged once for all callers, and once per pause. */
  async #renewInTurn(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined> {
    const { vault, serverUrl, signal, now } = this.#options;
    try {
      return await vault.exclusively(serverUrl, () => this.#renewAlone(credential, redeem), signal);
    } catch (error) {
      // An abort by `close` is no reason for a warning, and a failure that began a pause has been logged.
      if (signal.aborted || now() < this.#nextRefreshAt) throw error;
      this.#nextRefreshAt = now() + REFRESH_PAUSE_MS;
      this.#warn("A token could not be renewed; the old one is kept.", error, credential);
      throw error;
    } finally {
      this.#isSending = false;
    }
  }

  /** Runs with the turn. Its last holder may have renewed the credential, logged in or out, so the vault is read again (threat T40). */
  async #renewAlone(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined> {
    const { vault, log, serverUrl, signal } = this.#options;
    const stored = await this.reload();
    const outdated = this.#lastRead;
    if (!outdated || stored?.tokens.access_token !== credential.tokens.access_token) return stored;
    const refreshed = await redeem(stored, () => {
      signal.throwIfAborted();
      this.#isSending = true;
    });
    if (refreshed.kind === "renewed") return this.#keepRenewed(outdated, refreshed.credential);
    // A new login made meanwhile stays valid.
    if (!(await vault.delete(serverUrl, outdated))) return this.reload();
    // The issuer of a client that the entry names stays known, so that the server cannot name another one for the next login.
    if (stored.clientId !== undefined) await vault.write(spentCredential(stored));
    log("warn", "A login is no longer valid; log in again.", { serverUrl, reason: refreshed.reason });
    this.#cached = Promise.resolve(undefined);
    return undefined;
  }

  /** Stores a renewed credential, unless a login or logout has happened while the authorization server was asked. */
  async #keepRenewed(
    outdated: StoredCredential,
    renewed: StoredCredential,
  ): Promise<StoredCredential | undefined> {
    try {
      const stored = await this.reload();
      if (!this.#lastRead || !isSameCredential(this.#lastRead, outdated)) return stored;
      await this.#write(renewed);
    } catch (error) {
      // The old refresh token is spent: the new credential must not be lost, and the old one not be sent again.
      this.#unsavedRenewal = { outdated, renewed };
      this.#cached = Promise.resolve(renewed);
      this.#warn("A renewed login could not be stored; it lasts only for this process.", error, renewed);
    }
    return renewed;
  }

  #newest(stored: StoredCredential | undefined): StoredCredential | undefined {
    this.#lastRead = stored;
    const unsaved = this.#unsavedRenewal;
    return stored && unsaved && isSameCredential(stored, unsaved.outdated) ? unsaved.renewed : stored;
  }

  #warn(message: string, error: unknown, credential: StoredCredential): void {
    const { log, serverUrl } = this.#options;
    log("warn", message, { serverUrl, error: new Redactor(secretsOf(credential)).hide(thrownText(error)) });
  }
}

/** Fires after `LONGEST_TURN_WAIT_MS`. Unlike `AbortSignal.timeout`, it keeps the process alive until it is disposed of. */
function limitTurnWait(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LONGEST_TURN_WAIT_MS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
