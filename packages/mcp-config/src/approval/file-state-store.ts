import {
  isRecord,
  type Logger,
  McpError,
  type StateStore,
  silentLogger,
  thrownMessage,
} from "@jackfield/mcp-core";
import { cryptography, PrivateFolder } from "@jackfield/mcp-core/node";

/** Where `fileStateStore` keeps its files. */
export interface FileStateStoreOptions {
  /** The directory of the files; created with mode 0700 if it is missing. Never derive it from a file of a project. */
  readonly directory: string;
  /** Receives one warning for each file that is not trusted. Default: no logging. */
  readonly log?: Logger | undefined;
}

/**
 * Keeps values between runs: one file for each key, in a `PrivateFolder`, so that two processes can write at once, and a reader sees the old
 * value or the new one.
 *
 * A file that is a link, belongs to another user or may be written by others counts as missing and is reported once: anybody could
 * have written it ([T08], [T09] of the threat list). `set` replaces it; `setIfMissing` throws `MCP_STORAGE_FAILED`, because the
 * user may still be able to restore it.
 *
 * `set`, `setIfMissing` and `delete` reject with `MCP_STORAGE_FAILED`, and the system's reason, if the file cannot be written;
 * `set` and `setIfMissing` also if the directory belongs to another user or others may write in it.
 */
export function fileStateStore({
  directory,
  log = silentLogger,
}: FileStateStoreOptions): Required<StateStore> {
  // Others may read an existing directory: the files in it are private.
  const folder = new PrivateFolder(directory, { readableByOthers: true });
  const reported = new Set<string>();
  const read = (name: string): Remembered | undefined => {
    const found = readRemembered(folder, name);
    if (found === undefined || "value" in found) return found;
    const file = folder.pathOf(name);
    if (!reported.has(file)) log("warn", describe(file, found), { file });
    reported.add(file);
    return undefined;
  };

  return {
    async get(key) {
      return read(fileName(key))?.value;
    },
    async set(key, value) {
      folder.replace(fileName(key), JSON.stringify({ key, value }));
    },
    async setIfMissing(key, value) {
      const name = fileName(key);
      if (folder.add(name, JSON.stringify({ key, value }))) return true;
      const found = readRemembered(folder, name);
      if (found !== undefined && "reason" in found) throw untrusted(folder.pathOf(name), found);
      return false;
    },
    async delete(key) {
      folder.remove(fileName(key));
    },
    async keys(prefix) {
      const kept = namesIn(folder).flatMap((name) => read(name)?.key ?? []);
      return kept.filter((key) => key.startsWith(prefix)).sort();
    },
  };
}

interface Remembered {
  readonly key: string;
  readonly value: string;
}

/** Why a file is not trusted, and what its owner can do. */
interface Fault {
  readonly reason: string;
  readonly remedy: string;
}

const FILE_SUFFIX = ".json";
const REMOVE = "remove it, then approve the servers again";
const TAKE_RIGHTS = `make it private to you (chmod 600), or ${REMOVE}`;

/** A key may be anything; a file's name may not. */
function fileName(key: string): string {
  return cryptography().createHash("sha256").update(key).digest("hex") + FILE_SUFFIX;
}

/** None in a directory that cannot be used: nothing in it counts. */
function namesIn(folder: PrivateFolder): readonly string[] {
  try {
    return folder.names().filter((name) => name.endsWith(FILE_SUFFIX));
  } catch {
    return [];
  }
}

/** `undefined` for a file that is not there. */
function readRemembered(folder: PrivateFolder, name: string): Remembered | Fault | undefined {
  const access = `give the user who runs this access to ${folder.path} and its files`;
  try {
    const found = folder.read(name);
    if (found.kind === "none") return undefined;
    if (found.kind === "file") {
      const kept = parse(found.bytes.toString());
      return kept && fileName(kept.key) === name ? kept : { reason: "it is damaged", remedy: REMOVE };
    }
    const remedies = { othersMayWrite: TAKE_RIGHTS, unreadable: access } as const;
    const remedy = found.fault in remedies ? remedies[found.fault as keyof typeof remedies] : REMOVE;
    return { reason: found.why, remedy };
  } catch (error) {
    return { reason: `it cannot be read (${thrownMessage(error)})`, remedy: access };
  }
}

function parse(text: string): Remembered | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isRecord(parsed)) return undefined;
    const { key, value } = parsed;
    return typeof key === "string" && typeof value === "string" ? { key, value } : undefined;
  } catch {
    return undefined;
  }
}

function describe(file: string, { reason, remedy }: Fault): string {
  return `${file} is not used: ${reason}, so the approvals made with it do not count; ${remedy}.`;
}

/** A new key would void every approval made with this one, which may only need its permissions restored. */
function untrusted(file: string, fault: Fault): McpError {
  return new McpError("MCP_STORAGE_FAILED", describe(file, fault), { phase: "approve", location: { file } });
}
