import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  checkOptions,
  KeyedQueue,
  type Logger,
  McpError,
  type OptionKind,
  optionKinds,
  silentLogger,
} from "@jackfield/mcp-core";
import { PrivateFolder, withFileLock } from "@jackfield/mcp-core/node";
import { canonicalServerUrl, isSameCredential, parseCredential, summarizeCredential } from "./credential.ts";
import type { CredentialSummary, StoredCredential, TokenVault } from "./token-vault.ts";

/** Each format has its own ending, so that different versions can share the folder. */
const ENDING = ".v1.json";

/** Held while a file is replaced, which takes milliseconds. */
const WRITE_LOCK = "write.lock";
const LONGEST_WRITE_WAIT_MS = 10_000;

/** How many unusable files are kept for inspection; after that the last one is replaced. */
const KEPT_ASIDE = 9;

/** A renewal makes at most four requests of ten seconds (three metadata locations, then the token). A longer turn means a hung process. */
const LONGEST_TURN_WAIT_MS = 45_000;

/** Options of `createFileVault`. */
export interface FileVaultOptions {
  /** A folder used for nothing else. It is created with the first login. */
  readonly directory: string;
  /** Receives a warning when a file is set aside or was readable by others. Default: no logging. */
  readonly log?: Logger | undefined;
}

const OPTIONS: Record<keyof FileVaultOptions, OptionKind> = {
  directory: optionKinds.name,
  log: optionKinds.callable,
};

/**
 * Creates a vault that keeps credentials in unencrypted files, one for each server, that only their owner can read (0600 in a folder
 * with 0700). Several processes may use the folder at once. A file that is damaged, a link, or owned or writable by others is not used:
 * it is set aside with a warning.
 *
 * All methods throw `McpError` `MCP_STORAGE_FAILED` if the folder is a link, not a folder, open to others or unusable, and
 * `MCP_LIMIT_EXCEEDED` if another process hangs while it writes or has its turn.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist or is of another type
 */
export function createFileVault(options: FileVaultOptions): TokenVault {
  checkOptions(options, OPTIONS);
  const { directory, log = silentLogger } = options;
  // Only the holder of the lock writes, so any other draft is the remains of a crash.
  return new FileVault(new PrivateFolder(directory, { draftLifetimeMs: 0 }), log, (principal) =>
    createFileVault({ directory: join(directory, `user-${nameOf(principal)}`), log }),
  );
}

class FileVault implements TokenVault {
  readonly #folder: PrivateFolder;
  readonly #log: Logger;
  readonly #turns = new KeyedQueue();

  /** Each user has a folder in this one. */
  readonly forPrincipal: (principal: string) => TokenVault;

  constructor(folder: PrivateFolder, log: Logger, forPrincipal: (principal: string) => TokenVault) {
    this.#folder = folder;
    this.#log = log;
    this.forPrincipal = forPrincipal;
  }

  async forServer(serverUrl: string, signal?: AbortSignal): Promise<StoredCredential | undefined> {
    if (signal?.aborted) {
      throw new McpError("MCP_ABORTED", "Reading the vault was aborted.", { cause: signal.reason });
    }
    const url = canonicalServerUrl(serverUrl);
    const found = this.#folder.exists() ? this.#read(url) : undefined;
    // Another process may have replaced the unusable file meanwhile, so it is read again under the lock.
    return typeof found === "string" ? this.#change(() => this.#readOrSetAside(url)) : found;
  }

  async write(credential: StoredCredential, expected?: StoredCredential): Promise<boolean> {
    const serverUrl = canonicalServerUrl(credential.serverUrl);
    const text = `${JSON.stringify({ ...credential, serverUrl })}\n`;
    if (!parseCredential(text)) {
      throw new McpError("MCP_INTERNAL", "A credential without issuer, client or token cannot be stored.");
    }
    return this.#change(() => {
      const found = expected && this.#readOrSetAside(serverUrl);
      if (expected && !(found && isSameCredential(found, expected))) return false;
      this.#folder.replace(fileOf(serverUrl), text);
      return true;
    });
  }

  async delete(serverUrl: string, expected?: StoredCredential): Promise<boolean> {
    const url = canonicalServerUrl(serverUrl);
    if (!this.#folder.exists()) return false;
    return this.#change(() => {
      // An unusable file may still hold a valid token, so it is removed too.
      if (!expected) return this.#removeAll(fileOf(url));
      const found = this.#readOrSetAside(url);
      if (!found || !isSameCredential(found, expected)) return false;
      this.#folder.remove(fileOf(url));
      return true;
    });
  }

  async exclusively<T>(serverUrl: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const url = canonicalServerUrl(serverUrl);
    this.#folder.prepare();
    const path = this.#folder.pathOf(`${nameOf(url)}.lock`);
    const longestWaitMs = LONGEST_TURN_WAIT_MS;
    const inTurn = (isPolite: boolean) => withFileLock(path, work, { signal, isPolite, longestWaitMs });
    return this.#turns.run(url, inTurn, signal);
  }

  async list(): Promise<readonly CredentialSummary[]> {
    return this.#readAll()
      .map(summarizeCredential)
      .sort((one, other) => (one.serverUrl < other.serverUrl ? -1 : 1));
  }

  async #change<T>(change: () => T): Promise<T> {
    this.#folder.prepare();
    const lock = this.#folder.pathOf(WRITE_LOCK);
    const patience = { longestWaitMs: LONGEST_WRITE_WAIT_MS };
    return withFileLock(lock, change, patience);
  }

  #readAll(): readonly StoredCredential[] {
    return this.#folder.names().flatMap((name) => {
      if (!name.endsWith(ENDING)) return [];
      const found = this.#folder.read(name);
      const credential = found.kind === "file" ? parseCredential(found.bytes.toString()) : undefined;
      return credential && fileOf(credential.serverUrl) === name ? [credential] : [];
    });
  }

  #readOrSetAside(serverUrl: string): StoredCredential | undefined {
    const found = this.#read(serverUrl);
    if (typeof found !== "string") return found;
    const aside = this.#setAside(fileOf(serverUrl));
    this.#log("warn", `The stored login for ${serverUrl} is not used: ${found}. Log in again.`, { aside });
    return undefined;
  }

  /** Moves a file to `<name>.unusable-<n>`, and returns that path. */
  #setAside(name: string): string {
    const taken = new Set(this.#folder.names());
    let number = 1;
    while (number < KEPT_ASIDE && taken.has(`${name}.unusable-${number}`)) number += 1;
    const aside = `${name}.unusable-${number}`;
    this.#folder.move(name, aside);
    return this.#folder.pathOf(aside);
  }

  /** Removes a file and its set-aside copies; returns whether there was anything. */
  #removeAll(name: string): boolean {
    const found = this.#folder.names().filter((each) => each === name || each.startsWith(`${name}.`));
    for (const each of [name, ...found]) this.#folder.remove(each);
    return found.length > 0;
  }

  /** Returns the credential, `undefined` if there is none, or a text that says why the file cannot be used. */
  #read(serverUrl: string): StoredCredential | string | undefined {
    const found = this.#folder.read(fileOf(serverUrl));
    if (found.kind === "none") return undefined;
    if (found.kind === "unusable") return found.why;
    const credential = parseCredential(found.bytes.toString());
    if (!credential) return "the file is damaged";
    if (credential.serverUrl !== serverUrl) return "the file belongs to another server";
    if (found.wasReadable) {
      this.#log(
        "warn",
        `Other users could read the stored login for ${serverUrl}; their access was removed.`,
      );
    }
    return credential;
  }
}

function fileOf(serverUrl: string): string {
  return `${nameOf(serverUrl)}${ENDING}`;
}

/** A hash, because a URL or a user's id may be too long for a file name or hold characters that one may not. */
function nameOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
