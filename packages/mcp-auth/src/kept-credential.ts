import { type Logger, thrownText } from "@jackfield/mcp-core";
import { withoutRegistration } from "./flow/client-identity.ts";
import { isDue, type Refreshed } from "./flow/refresh.ts";
import { hideSecrets, secretsOf } from "./flow/secret-spelling.ts";
import { unlessGivenUp } from "./given-up.ts";
import { isSameCredential } from "./vault/credential.ts";
import type { StoredCredential, TokenVault } from "./vault/token-vault.ts";

/** After a refresh that failed for the moment, the old token is used for so long before another one is tried. */
const REFRESH_PAUSE_MS = 30_000;

/** A logout or a new login lets a renewal that is being stored finish, and does not wait for an authorization server. */
const LONGEST_COURTESY_MS = 1_000;

/** A credential that no vault holds. */
const NOBODYS: Omit<StoredCredential, "serverUrl"> = {
  issuer: "",
  resource: "",
  client: { client_id: "" },
  tokens: { access_token: "", token_type: "" },
  scopes: [],
  obtainedAt: 0,
};

export interface KeptCredentialOptions {
  readonly serverUrl: string;
  readonly vault: TokenVault;
  readonly now: () => number;
  readonly log: Logger;
  /** Fires when nobody needs the credential any more. */
  readonly signal: AbortSignal;
}

/** Redeems the refresh token of a credential. Says so right before the token is sent; that throws if it is too late to begin. */
export type Redeem = (credential: StoredCredential, onSending: () => void) => Promise<Refreshed>;

/** One server's credential: as the vault was last seen to hold it, and renewed by one at a time, on this whole machine. */
export interface KeptCredential {
  /** What is known; the vault is asked the first time only, because this stands before every request. */
  current(): Promise<StoredCredential | undefined>;
  /** What the vault holds now. */
  look(signal?: AbortSignal): Promise<StoredCredential | undefined>;
  /**
   * The credential for the next request. One that is about to expire is renewed meanwhile, one that has expired before. A refresh that
   * fails for the moment changes nothing. It does not reject.
   */
  renewIfDue(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined>;
  /**
   * Renews a credential, unless somebody else has done so meanwhile. `undefined` if its refresh token is worth nothing any more: the
   * credential is gone then. What somebody has put in its place meanwhile, or taken away, stays as it is. The signal ends the wait
   * of this caller alone.
   *
   * @throws McpError if it failed for a reason that may pass, `MCP_ABORTED` if the signal fires
   */
  renew(
    credential: StoredCredential,
    redeem: Redeem,
    signal?: AbortSignal,
  ): Promise<StoredCredential | undefined>;
  /**
   * Looks whether one could be stored, so that nobody is asked for what cannot be kept.
   *
   * @throws whatever the vault throws
   */
  requireVault(signal: AbortSignal): Promise<void>;
  /** Puts another in its place. What cannot be stored holds for this process, and the promise rejects. */
  replace(credential: StoredCredential): Promise<void>;
  /** Forgets that its client was registered, so that the next login registers another; its tokens stay. */
  forgetClient(credential: StoredCredential): Promise<void>;
  /** Forgets it, if it is one that is meant; tells whether there was one. Default: whichever there is. */
  forget(isMeant?: (credential: StoredCredential) => boolean): Promise<boolean>;
  /** Resolves when no renewal is under way whose refresh token may be spent: what it brings is the only login there is then. */
  settled(): Promise<void>;
}

export function keepCredential(options: KeptCredentialOptions): KeptCredential {
  return new Keeper(options);
}

class Keeper implements KeptCredential {
  readonly #options: KeptCredentialOptions;
  #known: Promise<StoredCredential | undefined> | undefined;
  #renewal: Promise<StoredCredential | undefined> | undefined;
  /** What the vault held when it was looked at last. */
  #held: StoredCredential | undefined;
  /** What the vault would not take, and what it holds in its place. */
  #unstored: { readonly held: StoredCredential; readonly renewed: StoredCredential } | undefined;
  #nextRefreshAt = 0;
  #isSending = false;

  constructor(options: KeptCredentialOptions) {
    this.#options = options;
  }

  current(): Promise<StoredCredential | undefined> {
    return this.#known ?? this.look();
  }

  look(signal?: AbortSignal): Promise<StoredCredential | undefined> {
    const { vault, serverUrl } = this.#options;
    const looking = vault.forServer(serverUrl, signal).then((held) => this.#newest(held));
    this.#known = looking;
    looking.catch(() => {
      if (this.#known === looking) this.#known = undefined;
    });
    return looking;
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
    return waiting ? unlessGivenUp(this.#renewal, waiting) : this.#renewal;
  }

  async settled(): Promise<void> {
    if (this.#isSending) await this.#renewal?.catch(() => undefined);
  }

  async requireVault(ending: AbortSignal): Promise<void> {
    const { vault, serverUrl } = this.#options;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), LONGEST_COURTESY_MS);
    try {
      // To delete what nobody holds changes nothing, and takes whatever a change takes.
      const tryToChange = async () => void (await vault.delete(serverUrl, { ...NOBODYS, serverUrl }));
      await vault.exclusively(serverUrl, tryToChange, AbortSignal.any([ending, patience.signal]));
    } catch (error) {
      // Whoever has the turn for longer has found the vault usable.
      if (!patience.signal.aborted || ending.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  replace(credential: StoredCredential): Promise<void> {
    return this.#betweenRenewals(() => this.#write(credential));
  }

  async forgetClient(credential: StoredCredential): Promise<void> {
    await this.#betweenRenewals(async () => {
      const stored = await this.look();
      if (!stored || stored.client.client_id !== credential.client.client_id) return;
      await this.#write({ ...stored, client: withoutRegistration(stored.client) });
    });
  }

  async forget(isMeant = (_: StoredCredential) => true): Promise<boolean> {
    const { vault, serverUrl } = this.#options;
    const isHeld = async () => {
      const held = await vault.forServer(serverUrl);
      return held !== undefined && isMeant(held);
    };
    this.#known = this.current().then(
      (known) => (known && !isMeant(known) ? known : undefined),
      () => undefined,
    );
    const held = await vault.forServer(serverUrl);
    // Where there is none, no folder is made for a lock either. What cannot be read is nobody's, so it goes whoever is meant.
    if (!held) return vault.delete(serverUrl);
    if (!isMeant(held)) return false;
    return this.#betweenRenewals(async () => {
      // Whoever has logged in meanwhile may have done so as another client.
      if (!(await isHeld())) return false;
      this.#known = Promise.resolve(undefined);
      return vault.delete(serverUrl);
    });
  }

  /**
   * Makes a change that no renewal may overwrite, in another process neither. Within its turn, if that comes soon; who has the turn
   * for longer waits for an authorization server, and looks again before he writes.
   */
  async #betweenRenewals<T>(change: () => Promise<T>): Promise<T> {
    const { vault, serverUrl, signal } = this.#options;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), LONGEST_COURTESY_MS);
    let hasBegun = false;
    const changeInTurn = () => {
      hasBegun = true;
      return change();
    };
    try {
      return await vault.exclusively(serverUrl, changeInTurn, AbortSignal.any([signal, patience.signal]));
    } catch (error) {
      if (hasBegun) throw error;
      return await change();
    } finally {
      clearTimeout(timer);
    }
  }

  async #write(credential: StoredCredential): Promise<void> {
    this.#known = Promise.resolve(credential);
    await this.#options.vault.write(credential);
  }

  /** What fails is told once, however many wait for it, and whoever is refused meanwhile. */
  async #renewInTurn(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined> {
    const { vault, serverUrl, signal, now } = this.#options;
    try {
      return await vault.exclusively(serverUrl, () => this.#renewAlone(credential, redeem), signal);
    } catch (error) {
      // What is given up when all is closed is nothing to warn of, and a pause that lasts was told of.
      if (signal.aborted || now() < this.#nextRefreshAt) throw error;
      this.#nextRefreshAt = now() + REFRESH_PAUSE_MS;
      this.#warn("a token could not be renewed; the old one is kept", error, credential);
      throw error;
    } finally {
      this.#isSending = false;
    }
  }

  /** With the turn: whoever had it before may have renewed the credential, or logged in anew, or out (threat T40). */
  async #renewAlone(credential: StoredCredential, redeem: Redeem): Promise<StoredCredential | undefined> {
    const { vault, log, serverUrl, signal } = this.#options;
    const stored = await this.look();
    const held = this.#held;
    if (!held || stored?.tokens.access_token !== credential.tokens.access_token) return stored;
    const refreshed = await redeem(stored, () => {
      signal.throwIfAborted();
      this.#isSending = true;
    });
    if (refreshed.kind === "renewed") return this.#keepRenewed(held, refreshed.credential);
    // A login that was made meanwhile is not over.
    if (!(await vault.delete(serverUrl, held))) return this.look();
    log("warn", "a login is over; somebody has to log in again", { serverUrl, reason: refreshed.reason });
    this.#known = Promise.resolve(undefined);
    return undefined;
  }

  /** The authorization server took its time: somebody may have logged out meanwhile, or in anew, and that counts. */
  async #keepRenewed(
    held: StoredCredential,
    renewed: StoredCredential,
  ): Promise<StoredCredential | undefined> {
    try {
      const stored = await this.look();
      if (!this.#held || !isSameCredential(this.#held, held)) return stored;
      await this.#write(renewed);
    } catch (error) {
      // The old refresh token is spent, and this one works: it must not be lost, nor the old one presented again.
      this.#unstored = { held, renewed };
      this.#known = Promise.resolve(renewed);
      this.#warn("a renewed login could not be stored; it holds for this process", error, renewed);
    }
    return renewed;
  }

  #newest(held: StoredCredential | undefined): StoredCredential | undefined {
    this.#held = held;
    const unstored = this.#unstored;
    return held && unstored && isSameCredential(held, unstored.held) ? unstored.renewed : held;
  }

  #warn(message: string, error: unknown, credential: StoredCredential): void {
    const { log, serverUrl } = this.#options;
    log("warn", message, { serverUrl, error: hideSecrets(thrownText(error), secretsOf(credential)) });
  }
}
