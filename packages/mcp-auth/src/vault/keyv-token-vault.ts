import {
  checkOptions,
  KeyedQueue,
  type Logger,
  McpError,
  type OptionKind,
  optionKinds,
  optionNumber,
  silentLogger,
} from "@jackfield/mcp-core";
import { cryptography, hearHiddenPool, type StoreClient, storeClientsOf } from "@jackfield/mcp-core/node";
import { type AtomicStore, atomicStoreOn, type SharedStore } from "./atomic-store.ts";
import { canonicalServerUrl, isSameCredential, parseCredential, summarizeCredential } from "./credential.ts";
import { KeyRing } from "./key-ring.ts";
import type { CredentialSummary, StoredCredential, TokenVault, VaultNotes } from "./token-vault.ts";

/** Options of `keyvTokenVault`. */
export interface KeyvTokenVaultOptions {
  /**
   * At least 32 secret bytes, the same on all machines. With a list, the first seals and all open: to change the key, give all machines
   * `[old, new]`, then `[new, old]`, and `[new]` once every login was renewed.
   */
  readonly key: Uint8Array | readonly Uint8Array[];
  /** Keeps these logins apart from what else the store holds. Default `jackfield-logins`. */
  readonly namespace?: string | undefined;
  /** How long the store may take to answer, in milliseconds. Default 2,000. */
  readonly timeoutMs?: number | undefined;
  /** Receives a warning for each login that cannot be used. Default: no logging. */
  readonly log?: Logger | undefined;
}

const OPTIONS: Record<keyof KeyvTokenVaultOptions, OptionKind> = {
  key: optionKinds.any, // judged with its length
  namespace: optionKinds.name,
  timeoutMs: optionNumber(0),
  log: optionKinds.callable,
};

/** A holder that has ended is followed by the next one after this time. It is prolonged while the work goes on. */
const LEASE_MS = 10_000;
const PROLONGED_EVERY_MS = 2_500;
/** How often somebody who waits asks whether it is his turn. */
const ASKED_EVERY_MS = 150;
const LONGEST_TURN_WAIT_MS = 60_000;

/**
 * How long a claimed login is watched before its renewal counts as broken off: a holder that lost the store, but not the new tokens, stores
 * them as soon as the store is back.
 */
const CLAIM_WATCHED_MS = 15_000;
const STORED_AGAIN_EVERY_MS = 300;

/** Of how many logins this process remembers the last version, so that an older one put in its place is noticed. */
const REMEMBERED_VERSIONS = 10_000;

/**
 * Creates a vault for many users on many machines, in a store that Keyv has an adapter for: Redis, Valkey or Postgres; a `Map` does for
 * one process. What is stored is sealed with AES-256-GCM, and can be opened only in the place of that user and server.
 *
 * A refresh token is redeemed once in the whole fleet. Whoever has the lease claims it in the store before it is sent, and nobody sends a
 * token that somebody else has claimed, whatever happened to him; if the store cannot be reached, nothing is sent. The store keeps the time
 * of leases, so machines' clocks do not count. It must not lose what it has acknowledged (Redis: `appendfsync always`).
 *
 * Its methods throw `McpError` `MCP_STORAGE_FAILED` if the store does not answer, or holds a login that none of the keys opens. The store
 * stays yours to close.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist or cannot be used, such as a key that is too short, or a store that
 * cannot compare and replace in one step
 */
export function keyvTokenVault(store: SharedStore, options: KeyvTokenVaultOptions): TokenVault {
  checkOptions(options, OPTIONS);
  const { key, namespace = "jackfield-logins", timeoutMs = 2_000, log = silentLogger } = options;
  const shared: SharedParts = {
    ring: new KeyRing(key),
    store: atomicStoreOn(store, { namespace, timeoutMs }),
    namespace,
    log,
    turns: new KeyedQueue(),
    holders: new Map(),
    versions: new Map(),
  };
  // Without a listener, a client that loses its connection ends the process. What fails for it is told by what needed it.
  const heard = () => {};
  const adapter = store as Partial<StoreClient>;
  if (typeof adapter.on === "function") adapter.on("error", heard);
  for (const client of storeClientsOf(store)) client.on("error", heard);
  void hearHiddenPool(store, heard);
  return new KeyvTokenVault(shared, undefined);
}

/** What the vaults of all users have in common. */
interface SharedParts {
  readonly ring: KeyRing;
  readonly store: AtomicStore;
  readonly namespace: string;
  readonly log: Logger;
  readonly turns: KeyedQueue;
  /** By name, the lease under which work goes on in this process. */
  readonly holders: Map<string, string>;
  readonly versions: Map<string, { readonly login: string | undefined; readonly version: number }>;
}

/** What is sealed. */
interface Kept {
  readonly credential: StoredCredential;
  /** Grows with every change of one login. */
  readonly version: number;
  /** Who has sent the refresh token, or is about to: it is sent by nobody else. */
  readonly claimedBy?: string | undefined;
}

interface Found {
  readonly sealed: string;
  /** Missing if it cannot be used. */
  readonly kept: Kept | undefined;
}

class KeyvTokenVault implements TokenVault {
  readonly #shared: SharedParts;
  readonly #principal: string | undefined;

  constructor(shared: SharedParts, principal: string | undefined) {
    this.#shared = shared;
    this.#principal = principal;
  }

  forPrincipal(principal: string): TokenVault {
    return new KeyvTokenVault(this.#shared, principal);
  }

  async forServer(serverUrl: string, signal?: AbortSignal): Promise<StoredCredential | undefined> {
    if (signal?.aborted)
      throw new McpError("MCP_ABORTED", "Reading the vault was aborted.", { cause: signal.reason });
    const found = await this.#find(this.#nameOf(canonicalServerUrl(serverUrl)));
    return found?.kept?.credential;
  }

  async write(credential: StoredCredential, expected?: StoredCredential): Promise<boolean> {
    const serverUrl = canonicalServerUrl(credential.serverUrl);
    const stored = { ...credential, serverUrl };
    if (!parseCredential(JSON.stringify(stored)))
      throw new McpError("MCP_INTERNAL", "A credential without issuer, client or token cannot be stored.");
    const name = this.#nameOf(serverUrl);
    const isRenewal = expected !== undefined;
    const isDone = await this.#insisting(isRenewal && this.#shared.holders.has(name), () =>
      this.#replace(name, stored, expected),
    );
    if (isDone && !isRenewal) await this.#list(serverUrl);
    return isDone;
  }

  async delete(serverUrl: string, expected?: StoredCredential): Promise<boolean> {
    const name = this.#nameOf(canonicalServerUrl(serverUrl));
    for (;;) {
      const found = await this.#find(name);
      if (!found) return false;
      if (expected && !(found.kept && isSameCredential(found.kept.credential, expected))) return false;
      if (await this.#shared.store.replace(name, { from: found.sealed, to: undefined })) return true;
    }
  }

  async exclusively<T>(serverUrl: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const name = this.#nameOf(canonicalServerUrl(serverUrl));
    return this.#shared.turns.run(name, () => this.#withLease(name, work, signal), signal);
  }

  async claim(credential: StoredCredential): Promise<boolean> {
    const { store } = this.#shared;
    const name = this.#nameOf(canonicalServerUrl(credential.serverUrl));
    const holder = this.#shared.holders.get(name);
    const watchedUntil = performance.now() + CLAIM_WATCHED_MS;
    for (;;) {
      const found = await this.#find(name);
      const kept = found?.kept;
      if (!found || !kept || !isSameCredential(kept.credential, credential)) return false;
      if (kept.claimedBy === undefined) {
        const claimed = this.#seal(name, { ...kept, claimedBy: holder ?? "" });
        try {
          return await store.replace(name, { from: found.sealed, to: claimed, holder });
        } catch (error) {
          // It may have been done all the same, or be done later. Nothing was sent, so it is undone.
          void this.#insisting(true, () => store.replace(name, { from: claimed, to: found.sealed })).catch(
            () => {},
          );
          throw error;
        }
      }
      if (kept.claimedBy === holder) return true;
      if (performance.now() > watchedUntil) return false;
      await pause(ASKED_EVERY_MS);
    }
  }

  async unclaim(credential: StoredCredential): Promise<void> {
    const name = this.#nameOf(canonicalServerUrl(credential.serverUrl));
    const holder = this.#shared.holders.get(name);
    await this.#insisting(true, async () => {
      const found = await this.#find(name);
      if (!found?.kept || found.kept.claimedBy !== (holder ?? "")) return false;
      const { claimedBy: _, ...free } = found.kept;
      return this.#shared.store.replace(name, { from: found.sealed, to: this.#seal(name, free) });
    });
  }

  get notes(): VaultNotes {
    const { store, ring } = this.#shared;
    const open = (name: string, sealed: string) => {
      const opened = ring.open(sealed, this.#placeOf(name));
      return "text" in opened ? opened.text : undefined;
    };
    return {
      put: async (id, text, lifetimeMs) => {
        const name = noteName(id);
        const to = ring.seal(text, this.#placeOf(name));
        while (!(await store.replace(name, { from: await store.read(name), to, lifetimeMs })));
      },
      read: async (id) => {
        const sealed = await store.read(noteName(id));
        return sealed === undefined ? undefined : open(noteName(id), sealed);
      },
      take: async (id) => {
        const name = noteName(id);
        const sealed = await store.read(name);
        const isTaken = sealed !== undefined && (await store.replace(name, { from: sealed, to: undefined }));
        return isTaken ? open(name, sealed) : undefined;
      },
    };
  }

  async list(): Promise<readonly CredentialSummary[]> {
    const found = await Promise.all((await this.#listed()).urls.map((url) => this.forServer(url)));
    return found
      .filter((credential) => credential !== undefined)
      .map(summarizeCredential)
      .sort((one, other) => (one.serverUrl < other.serverUrl ? -1 : 1));
  }

  /** Waits for the lease, and prolongs it while the work goes on. */
  async #withLease<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { store } = this.#shared;
    const holder = cryptography().randomUUID();
    const givesUpAt = performance.now() + LONGEST_TURN_WAIT_MS;
    while (!(await store.hold(name, holder, LEASE_MS))) {
      if (performance.now() > givesUpAt) {
        const message = `Another machine has kept its turn at a login for more than ${LONGEST_TURN_WAIT_MS / 1_000} seconds. Try again.`;
        throw new McpError("MCP_LIMIT_EXCEEDED", message);
      }
      await pause(ASKED_EVERY_MS * (1 + Math.random()), signal);
    }
    const prolonging = setInterval(() => {
      store.hold(name, holder, LEASE_MS).catch(() => {});
    }, PROLONGED_EVERY_MS);
    prolonging.unref();
    this.#shared.holders.set(name, holder);
    try {
      return await work();
    } finally {
      clearInterval(prolonging);
      this.#shared.holders.delete(name);
      await store.letGo(name, holder).catch(() => {}); // It ends by itself.
    }
  }

  /** Replaces what is stored, or only `expected`; with a claim of this process on it, or none. */
  async #replace(name: string, credential: StoredCredential, expected?: StoredCredential): Promise<boolean> {
    for (;;) {
      const found = await this.#find(name);
      if (expected && !(found?.kept && isSameCredential(found.kept.credential, expected))) return false;
      const version = (found?.kept?.version ?? 0) + 1;
      const to = this.#seal(name, { credential, version });
      if (await this.#shared.store.replace(name, { from: found?.sealed, to })) {
        this.#remember(name, { credential, version });
        return true;
      }
    }
  }

  /** Repeats a change that must not be lost while the store is away. Default: once. */
  async #insisting<T>(isToInsist: boolean, change: () => Promise<T>): Promise<T> {
    const until = performance.now() + CLAIM_WATCHED_MS;
    for (;;) {
      try {
        return await change();
      } catch (error) {
        if (!isToInsist || performance.now() > until) throw error;
        await pause(STORED_AGAIN_EVERY_MS);
      }
    }
  }

  async #find(name: string): Promise<Found | undefined> {
    const { store, ring, log } = this.#shared;
    const sealed = await store.read(name);
    if (sealed === undefined) return undefined;
    const opened = ring.open(sealed, this.#placeOf(name));
    if ("text" in opened) {
      const kept = JSON.parse(opened.text) as Kept;
      if (!this.#isOlder(name, kept)) return { sealed, kept };
      log(
        "warn",
        "A stored login is not used: an older one was put in its place. Log in again.",
        this.#who(),
      );
      return { sealed, kept: undefined };
    }
    if (opened.why === "unknown-key") {
      const message =
        "A stored login was sealed with a key that this machine does not have. Give all machines the same list of keys.";
      throw new McpError("MCP_STORAGE_FAILED", message);
    }
    log(
      "warn",
      "A stored login is not used: it was changed, or belongs elsewhere. Log in again.",
      this.#who(),
    );
    return { sealed, kept: undefined };
  }

  #isOlder(name: string, kept: Kept): boolean {
    const known = this.#shared.versions.get(name);
    if (known !== undefined && known.login === kept.credential.loginId && kept.version < known.version)
      return true;
    this.#remember(name, kept);
    return false;
  }

  #remember(name: string, { credential, version }: Kept): void {
    const { versions } = this.#shared;
    versions.delete(name);
    versions.set(name, { login: credential.loginId, version });
    for (const oldest of versions.keys()) {
      if (versions.size <= REMEMBERED_VERSIONS) break;
      versions.delete(oldest);
    }
  }

  /** Adds a server to the list of this user's logins: a cluster cannot be asked for names. */
  async #list(serverUrl: string): Promise<void> {
    for (;;) {
      const { name, sealed, urls } = await this.#listed();
      if (urls.includes(serverUrl)) return;
      const to = this.#shared.ring.seal(JSON.stringify([...urls, serverUrl]), this.#placeOf(name));
      if (await this.#shared.store.replace(name, { from: sealed, to })) return;
    }
  }

  async #listed(): Promise<{
    readonly name: string;
    readonly sealed: string | undefined;
    readonly urls: readonly string[];
  }> {
    const name = this.#nameOf("");
    const sealed = await this.#shared.store.read(name);
    const opened = sealed === undefined ? undefined : this.#shared.ring.open(sealed, this.#placeOf(name));
    return { name, sealed, urls: opened && "text" in opened ? (JSON.parse(opened.text) as string[]) : [] };
  }

  #seal(name: string, kept: Kept): string {
    return this.#shared.ring.seal(JSON.stringify(kept), this.#placeOf(name));
  }

  #placeOf(name: string): string {
    return `${this.#shared.namespace}:${name}`;
  }

  /** No key is part of a name: machines that change keys one after the other must meet at the same lease. */
  #nameOf(serverUrl: string): string {
    return digest([this.#principal ?? null, serverUrl]);
  }

  #who(): { readonly principal?: string } {
    return this.#principal === undefined ? {} : { principal: this.#principal };
  }
}

/** Whoever reads the store learns no state that a browser could bring back. */
function noteName(id: string): string {
  return `note-${digest([id])}`;
}

function digest(parts: readonly (string | null)[]): string {
  return cryptography().createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () =>
    reject(new McpError("MCP_ABORTED", "The wait for earlier work was aborted.", { cause: signal?.reason }));
  if (signal?.aborted) giveUp();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", giveUp, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  });
}
