import { type Logger, McpError, Redactor, raceSignal, thrownText } from "@jackfield/mcp-core";
import { givenUp, secretsOf } from "./errors.ts";
import { withoutRegistration } from "./flow/client-identity.ts";
import { isDue, type Refreshed } from "./flow/refresh.ts";
import { isSameCredential, spentCredential } from "./vault/credential.ts";
import type { StoredCredential, TokenVault } from "./vault/token-vault.ts";

/** How long the old token is used after a temporarily failed refresh before the next attempt. */
const REFRESH_PAUSE_MS = 30_000;

/** How long a logout or a new login waits for a renewal: enough to store one, but not to wait for an authorization server. */
const LONGEST_TURN_WAIT_MS = 1_000;

/** How long a logout by another process, or its new login, may go unnoticed by one that makes requests. */
const LOOK_INTERVAL_MS = 5_000;

/** How long a request waits for that look: a slow store costs no more, and what it says counts for the next request. */
const LONGEST_LOOK_MS = 100;

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

/**
 * Redeems the refresh token of a credential. It waits for `onSending` right before it sends the token; that rejects if it must not be sent.
 */
export type Redeem = (credential: StoredCredential, onSending: () => Promise<void>) => Promise<Refreshed>;

/** One server's credential, cached from the vault. Renewals run one at a time across all processes that share the vault. */
export class CredentialCache {
  readonly #options: CredentialCacheOptions;
  #cached: Promise<StoredCredential | undefined> | undefined;
  #renewal: Promise<StoredCredential | undefined> | undefined;
  /** What the vault contained when it was last read. */
  #lastRead: StoredCredential | undefined;
  /** A renewed credential that could not be stored, and the outdated one that the vault still holds. */
  #unsavedRenewal: { readonly outdated: StoredCredential; readonly renewed: StoredCredential } | undefined;
  /** When a renewal last failed. A clock that is set back does not prolong the pause. */
  #failedAt = Number.NEGATIVE_INFINITY;
  #isSending = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Whether what is cached is newer than what the vault holds. */
  #isAhead = false;

  constructor(options: CredentialCacheOptions) {
    this.#options = options;
  }

  /** The credential as last read. This runs before every request, so the vault is read again only once in five seconds. */
  async current(): Promise<StoredCredential | undefined> {
    const isRecent = this.#isAhead || Math.abs(this.#options.now() - this.#lookedAt) < LOOK_INTERVAL_MS;
    if (this.#cached !== undefined && !isRecent) await this.#look(this.#cached);
    return this.#cached ?? this.reload();
  }

  /** Sees what another process has changed, unless this one changes it meanwhile. A vault that cannot be read changes nothing. */
  async #look(cached: Promise<StoredCredential | undefined>): Promise<void> {
    const { vault, serverUrl, now } = this.#options;
    this.#lookedAt = now();
    const looking = vault.forServer(serverUrl).then((stored) => {
      if (this.#cached === cached) this.#cached = Promise.resolve(this.#newest(stored));
    });
    using limit = limitWait(LONGEST_LOOK_MS);
    await raceSignal(looking, limit.signal, givenUp).catch(() => {});
  }

  /** Reads the credential from the vault again. */
  reload(signal?: AbortSignal): Promise<StoredCredential | undefined> {
    const { vault, serverUrl } = this.#options;
    this.#lookedAt = this.#options.now();
    this.#isAhead = false;
    const reading = vault.forServer(serverUrl, signal).then((stored) => this.#newest(stored));
    this.#cached = reading;
    reading.catch(() => {
      if (this.#cached === reading) this.#cached = undefined;
    });
    return reading;
  }

  /**
   * The credential for the next request. One that is about to expire is renewed in the background; one that has expired is renewed
   * first. A temporarily failed refresh changes nothing. It does not reject.
   */
  async renewIfDue(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined> {
    const { now, signal } = this.#options;
    const { expiresAt = Number.POSITIVE_INFINITY } = credential;
    if (signal.aborted || !isDue(credential, now()) || this.#isPausing()) return credential;
    const renewal = this.renew(credential, redeem).catch(() => credential);
    return now() < expiresAt ? credential : renewal;
  }

  /**
   * Renews a credential, unless another process has done so meanwhile. Returns `undefined` if its refresh token is no longer valid; the
   * credential is then deleted. A concurrent login or logout takes precedence. The signal ends this caller's wait only.
   *
   * @throws McpError if it failed for a reason that may be temporary, `MCP_ABORTED` if the signal fires
   */
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

  /** Whether a credential is being renewed, or was and is not stored yet. */
  get isBusy(): boolean {
    return this.#renewal !== undefined || this.#unsavedRenewal !== undefined;
  }

  /** Resolves when no refresh token is being redeemed: the old one may be spent, so the answer must be stored. */
  async settled(): Promise<void> {
    if (this.#isSending) await this.#renewal?.catch(() => undefined);
  }

  /**
   * Checks that the vault can store a credential, so that no person logs in for nothing.
   *
   * @throws whatever the vault throws
   */
  async requireWritableVault(ending: AbortSignal): Promise<void> {
    const { vault, serverUrl } = this.#options;
    using limit = limitWait(LONGEST_TURN_WAIT_MS);
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

  /** Replaces the credential. If storing it fails, this process still uses it, and the promise rejects. */
  replace(credential: StoredCredential): Promise<void> {
    return this.#betweenRenewals(() => this.#write(credential));
  }

  /** Forgets the client's registration, so that the next login registers another. The tokens stay. */
  async forgetClient(credential: StoredCredential): Promise<void> {
    await this.#betweenRenewals(async () => {
      const stored = await this.reload();
      if (!stored || stored.client.client_id !== credential.client.client_id) return;
      await this.#write({ ...stored, client: withoutRegistration(stored.client) });
    });
  }

  /** Deletes the credential if `isMeant` accepts it, and returns whether there was one. Default: accepts any. */
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
    using limit = limitWait(LONGEST_TURN_WAIT_MS);
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
    this.#isAhead = true;
    await this.#options.vault.write(credential);
    this.#isAhead = false;
  }

  /** Renews within this server's turn. A failure is logged once for all callers, and once per pause. */
  async #renewInTurn(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined> {
    const { vault, serverUrl, signal, now } = this.#options;
    try {
      return await vault.exclusively(serverUrl, () => this.#renewAlone(credential, redeem), signal);
    } catch (error) {
      // An abort by `close` is no reason for a warning, and a failure that began a pause has been logged.
      if (signal.aborted || this.#isPausing()) throw error;
      this.#failedAt = now();
      this.#warn("A token could not be renewed; the old one is kept.", error, credential);
      throw error;
    } finally {
      this.#isSending = false;
    }
  }

  /** Runs with the turn. Its last holder may have renewed the credential, logged in or out, so the vault is read again (threat T40). */
  async #renewAlone(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined> {
    const { vault, log, serverUrl } = this.#options;
    if (vault.claim) await this.#saveRenewal();
    const stored = await this.reload();
    const outdated = this.#lastRead;
    if (!outdated || stored?.tokens.access_token !== credential.tokens.access_token) return stored;
    const refreshed = await this.#redeemClaimed(stored, redeem);
    if (refreshed === undefined) return undefined;
    if (refreshed.kind === "renewed") return this.#keepRenewed(outdated, refreshed.credential);
    // A new login made meanwhile stays valid.
    if (!(await vault.delete(serverUrl, outdated))) return this.reload();
    // The issuer of a client that the entry names stays known, so that the server cannot name another one for the next login.
    if (stored.clientId !== undefined) await vault.write(spentCredential(stored));
    log("warn", "A login is no longer valid; log in again.", { serverUrl, reason: refreshed.reason });
    this.#cached = Promise.resolve(undefined);
    return undefined;
  }

  /**
   * Redeems a refresh token that nobody else has sent or will send. `undefined` if somebody has, and has ended since: the token may be
   * spent, and an authorization server may take its second use for theft. The credential stays, in case he comes back with the new one.
   */
  async #redeemClaimed(stored: StoredCredential, redeem: Redeem): Promise<Refreshed | undefined> {
    const { vault, log, serverUrl, signal, now } = this.#options;
    let isSomebodyElses = false;
    const claim = async () => {
      isSomebodyElses = (await vault.claim?.(stored)) === false;
      if (isSomebodyElses) throw new McpError("MCP_ABORTED", "Another process has sent the refresh token.");
      this.#isSending = true;
    };
    const onSending = () => {
      signal.throwIfAborted();
      return claim();
    };
    try {
      return await redeem(stored, onSending);
    } catch (error) {
      if (this.#isSending) await vault.unclaim?.(stored).catch(() => {});
      if (!isSomebodyElses) throw error;
      const reason = "a process ended while it renewed it";
      if (!this.#isPausing())
        log("warn", "A login may be no longer valid; log in again.", { serverUrl, reason });
      this.#failedAt = now();
      return undefined;
    }
  }

  /** Stores a renewed credential, unless a login or logout has happened while the authorization server was asked. */
  async #keepRenewed(
    outdated: StoredCredential,
    renewed: StoredCredential,
  ): Promise<StoredCredential | undefined> {
    try {
      await this.reload().catch(() => {}); // If the vault is away, it may be back for the change.
      if (!this.#lastRead || !isSameCredential(this.#lastRead, outdated)) return this.current();
      this.#cached = Promise.resolve(renewed);
      this.#isAhead = true;
      if ((await this.#options.vault.write(renewed, outdated)) === false) return this.reload();
    } catch (error) {
      // The old refresh token is spent: the new credential must not be lost, and the old one not be sent again.
      this.#unsavedRenewal = { outdated, renewed };
      this.#cached = Promise.resolve(renewed);
      this.#warn("A renewed login could not be stored; it lasts only for this process.", error, renewed);
    } finally {
      this.#isAhead = false;
    }
    return renewed;
  }

  /** Stores a renewed credential that could not be stored before. */
  async #saveRenewal(): Promise<void> {
    const unsaved = this.#unsavedRenewal;
    if (unsaved === undefined) return;
    await this.#options.vault.write(unsaved.renewed, unsaved.outdated);
    this.#unsavedRenewal = undefined;
  }

  #isPausing(): boolean {
    return Math.abs(this.#options.now() - this.#failedAt) < REFRESH_PAUSE_MS;
  }

  #newest(stored: StoredCredential | undefined): StoredCredential | undefined {
    this.#lastRead = stored;
    const unsaved = this.#unsavedRenewal;
    if (!stored || !unsaved || !isSameCredential(stored, unsaved.outdated)) return stored;
    // Others wait for it, if they share the vault.
    if (this.#options.vault.claim) void this.#saveRenewal().catch(() => {});
    return unsaved.renewed;
  }

  #warn(message: string, error: unknown, credential: StoredCredential): void {
    const { log, serverUrl } = this.#options;
    log("warn", message, { serverUrl, error: new Redactor(secretsOf(credential)).hide(thrownText(error)) });
  }
}

/** Fires after that time. Unlike `AbortSignal.timeout`, it keeps the process alive until it is disposed of. */
function limitWait(ms: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
