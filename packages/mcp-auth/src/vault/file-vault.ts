import { createHash } from "node:crypto";
import { type Logger, McpError, silentLogger, toMcpError } from "@jackfield/mcp-core";
import { isSameCredential, parseCredential, summarizeCredential } from "./credential.ts";
import { withFileLock } from "./file-lock.ts";
import { createKeyedTurns, type KeyedTurns } from "./keyed-turns.ts";
import { canonicalServerUrl } from "./server-url.ts";
import type { CredentialSummary, StoredCredential, TokenVault } from "./token-vault.ts";
import { openVaultDirectory, type VaultDirectory } from "./vault-directory.ts";

/** Each format has its own ending, so that different versions can share the folder. */
const ENDING = ".v1.json";

/** Held while a file is replaced, which takes milliseconds. */
const WRITE_LOCK = "write.lock";
const LONGEST_WRITE_WAIT_MS = 10_000;

/** A renewal makes at most four requests of ten seconds (three metadata locations, then the token). A longer turn means a hung process. */
const LONGEST_TURN_WAIT_MS = 45_000;

/** Options of `createFileVault`. */
export interface FileVaultOptions {
  /** A folder used for nothing else. It is created with the first login. */
  readonly directory: string;
  /** Receives a warning when a file is set aside or was readable by others. Default: no logging. */
  readonly log?: Logger | undefined;
}

/**
 * Creates a vault that keeps credentials in unencrypted files, one for each server, that only their owner can read (0600 in a folder
 * with 0700). Several processes may use the folder at once. A file that is damaged, a link, or owned or writable by others is not used:
 * it is set aside with a warning.
 *
 * All methods throw `McpError` `MCP_STORAGE_FAILED` if the folder is a link, not a folder, open to others or unusable, and
 * `MCP_LIMIT_EXCEEDED` if another process hangs while it writes or has its turn.
 */
export function createFileVault({ directory, log = silentLogger }: FileVaultOptions): TokenVault {
  return new FileVault(openVaultDirectory(directory), log);
}

class FileVault implements TokenVault {
  readonly #directory: VaultDirectory;
  readonly #log: Logger;
  readonly #turns: KeyedTurns = createKeyedTurns();

  constructor(directory: VaultDirectory, log: Logger) {
    this.#directory = directory;
    this.#log = log;
  }

  async forServer(serverUrl: string, signal?: AbortSignal): Promise<StoredCredential | undefined> {
    if (signal?.aborted) {
      throw new McpError("MCP_ABORTED", "Reading the vault was aborted.", { cause: signal.reason });
    }
    const url = canonicalServerUrl(serverUrl);
    const found = this.#attempt(() => (this.#directory.exists() ? this.#read(url) : undefined));
    // Another process may have replaced the unusable file meanwhile, so it is read again under the lock.
    return typeof found === "string" ? this.#change(() => this.#readOrSetAside(url)) : found;
  }

  async write(credential: StoredCredential): Promise<void> {
    const serverUrl = canonicalServerUrl(credential.serverUrl);
    const text = `${JSON.stringify({ ...credential, serverUrl })}\n`;
    if (!parseCredential(text)) {
      throw new McpError("MCP_INTERNAL", "A credential without issuer, client or token cannot be stored.");
    }
    await this.#change(() => this.#directory.replace(fileOf(serverUrl), text));
  }

  async delete(serverUrl: string, expected?: StoredCredential): Promise<boolean> {
    const url = canonicalServerUrl(serverUrl);
    if (!this.#attempt(() => this.#directory.exists())) return false;
    return this.#change(() => {
      // An unusable file may still hold a valid token, so it is removed too.
      if (!expected) return this.#directory.removeAll(fileOf(url));
      const found = this.#readOrSetAside(url);
      if (!found || !isSameCredential(found, expected)) return false;
      this.#directory.remove(fileOf(url));
      return true;
    });
  }

  async exclusively<T>(serverUrl: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const url = canonicalServerUrl(serverUrl);
    this.#attempt(() => this.#directory.prepare());
    const path = this.#directory.pathOf(`${nameOf(url)}.lock`);
    const longestWaitMs = LONGEST_TURN_WAIT_MS;
    const inTurn = (isPolite: boolean) => withFileLock(path, work, { signal, isPolite, longestWaitMs });
    return this.#turns.take(url, inTurn, signal);
  }

  async list(): Promise<readonly CredentialSummary[]> {
    const found = this.#attempt(() => (this.#directory.exists() ? this.#readAll() : []));
    return found.map(summarizeCredential).sort((one, other) => (one.serverUrl < other.serverUrl ? -1 : 1));
  }

  async #change<T>(change: () => T): Promise<T> {
    this.#attempt(() => this.#directory.prepare());
    const lock = this.#directory.pathOf(WRITE_LOCK);
    const patience = { longestWaitMs: LONGEST_WRITE_WAIT_MS };
    return withFileLock(lock, () => this.#attempt(change), patience);
  }

  /** Turns a system error into one that says what it means for the vault. */
  #attempt<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
      const message = `Credentials cannot be stored in ${this.#directory.folder}${code}; check whether it can be used.`;
      throw toMcpError(error, "MCP_STORAGE_FAILED", message);
    }
  }

  #readAll(): readonly StoredCredential[] {
    return this.#directory.names(ENDING).flatMap((name) => {
      const found = this.#directory.read(name);
      const credential = found.kind === "text" ? parseCredential(found.text) : undefined;
      return credential && fileOf(credential.serverUrl) === name ? [credential] : [];
    });
  }

  #readOrSetAside(serverUrl: string): StoredCredential | undefined {
    const found = this.#read(serverUrl);
    if (typeof found !== "string") return found;
    const aside = this.#directory.setAside(fileOf(serverUrl));
    this.#log("warn", `The stored login for ${serverUrl} is not used: ${found}. Log in again.`, { aside });
    return undefined;
  }

  /** Returns the credential, `undefined` if there is none, or a text that says why the file cannot be used. */
  #read(serverUrl: string): StoredCredential | string | undefined {
    const found = this.#directory.read(fileOf(serverUrl));
    if (found.kind === "none") return undefined;
    if (found.kind === "unusable") return found.why;
    const credential = parseCredential(found.text);
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

/** A hash, because a URL may be too long for a file name or hold characters that one may not. */
function nameOf(serverUrl: string): string {
  return createHash("sha256").update(serverUrl).digest("hex").slice(0, 32);
}
