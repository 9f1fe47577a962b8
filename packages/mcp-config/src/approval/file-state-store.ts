import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type Logger,
  McpError,
  type StateStore,
  silentLogger,
  thrownText,
  toMcpError,
} from "@jackfield/mcp-core";
import { cryptography, fileSystem } from "../builtin-modules.ts";
import { placeDraft, placeIfMissing } from "./state-draft.ts";

const { constants } = fileSystem;

/** Where `fileStateStore` keeps its files. */
export interface FileStateStoreOptions {
  /** The directory of the files; created with mode 0700 if it is missing. Never derive it from a file of a project. */
  readonly directory: string;
  /** Receives one warning for each file that is not trusted. Default: no logging. */
  readonly log?: Logger | undefined;
}

/** Larger files are not trusted; this store is for small values. */
const LARGEST_FILE_BYTES = 1_048_576;
const OTHERS_MAY_WRITE = 0o022;
const FILE_SUFFIX = ".json";

/**
 * Keeps values between runs: one file of mode 0600 for each key, so that two processes can write at once. A value is written to a
 * draft and moved into place: a reader sees the old one or the new one, and a link in the place of a file is replaced, never
 * followed.
 *
 * A file that is a link, belongs to another user or may be written by others counts as missing and is reported once: anybody could
 * have written it ([T08], [T09] of the threat list). `set` replaces it; `setIfMissing` throws `MCP_STORAGE_FAILED`, because the
 * user may still be able to restore it.
 *
 * `set`, `setIfMissing` and `delete` reject with `MCP_STORAGE_FAILED`, and the system's reason, if the file cannot be written, and
 * if the directory belongs to another user or others may write in it.
 */
export function fileStateStore({
  directory,
  log = silentLogger,
}: FileStateStoreOptions): Required<StateStore> {
  const reported = new Set<string>();
  const fileOf = (key: string) => join(directory, fileName(key));
  const read = async (file: string): Promise<Remembered | undefined> => {
    const found = await readRemembered(file);
    if (found === undefined || "value" in found) return found;
    if (!reported.has(file)) log("warn", describe(file, found), { file });
    reported.add(file);
    return undefined;
  };
  const write = async <T>(key: string, value: string, place: (draft: string) => Promise<T>): Promise<T> => {
    try {
      await fileSystem.promises.mkdir(directory, { recursive: true, mode: 0o700 });
      await refuseForeign(directory);
      return await placeDraft(directory, JSON.stringify({ key, value }), place);
    } catch (error) {
      throw unwritable(directory, error);
    }
  };

  return {
    async get(key) {
      return (await read(fileOf(key)))?.value;
    },
    set: (key, value) => write(key, value, (draft) => fileSystem.promises.rename(draft, fileOf(key))),
    async setIfMissing(key, value) {
      const file = fileOf(key);
      if (await write(key, value, (draft) => placeIfMissing(draft, file))) return true;
      const found = await readRemembered(file);
      if (found !== undefined && "reason" in found) throw untrusted(file, found);
      return false;
    },
    async delete(key) {
      try {
        await fileSystem.promises.rm(fileOf(key), { force: true });
      } catch (error) {
        throw unwritable(directory, error);
      }
    },
    async keys(prefix) {
      const names = await fileSystem.promises.readdir(directory).catch(() => []);
      const files = await Promise.all(
        names.filter((name) => name.endsWith(FILE_SUFFIX)).map((name) => read(join(directory, name))),
      );
      const keys = files.flatMap((found) => (found === undefined ? [] : [found.key]));
      return keys.filter((key) => key.startsWith(prefix)).sort();
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

const REMOVE = "remove it, then approve the servers again";
const TAKE_RIGHTS = `make it private to you (chmod 600), or ${REMOVE}`;

/** A key may be anything; a file's name may not. */
function fileName(key: string): string {
  return cryptography().createHash("sha256").update(key).digest("hex") + FILE_SUFFIX;
}

/** `undefined` for a file that is not there. */
async function readRemembered(file: string): Promise<Remembered | Fault | undefined> {
  let handle: FileHandle;
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    handle = await fileSystem.promises.open(file, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return code === "ELOOP"
      ? { reason: "it is a link", remedy: REMOVE }
      : {
          reason: `it cannot be read (${code})`,
          remedy: `give the user who runs this access to ${dirname(file)} and its files`,
        };
  }
  try {
    const fault = faultOf(await handle.stat());
    if (fault !== undefined) return fault;
    const found = parse(await handle.readFile("utf8"));
    const isWhole = found !== undefined && fileName(found.key) === basename(file);
    return isWhole ? found : { reason: "it is damaged", remedy: REMOVE };
  } finally {
    await handle.close();
  }
}

function faultOf(stats: { isFile(): boolean; uid: number; mode: number; size: number }): Fault | undefined {
  const user = process.getuid?.();
  if (!stats.isFile()) return { reason: "it is not a regular file", remedy: REMOVE };
  if (stats.size > LARGEST_FILE_BYTES) return { reason: "it is too large", remedy: REMOVE };
  if (user === undefined) return undefined;
  if (stats.uid !== user) return { reason: "it belongs to another user", remedy: REMOVE };
  return (stats.mode & OTHERS_MAY_WRITE) === 0
    ? undefined
    : { reason: "other users can write to it", remedy: TAKE_RIGHTS };
}

function parse(text: string): Remembered | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null) return undefined;
    const { key, value } = parsed as Partial<Remembered>;
    return typeof key === "string" && typeof value === "string" ? { key, value } : undefined;
  } catch {
    return undefined;
  }
}

/** @throws McpError `MCP_STORAGE_FAILED` for a directory in which somebody else could put files. */
async function refuseForeign(directory: string): Promise<void> {
  const user = process.getuid?.();
  const stats = await fileSystem.promises.stat(directory);
  if (user === undefined || (stats.uid === user && (stats.mode & OTHERS_MAY_WRITE) === 0)) return;
  const message = `${directory} belongs to another user, or other users can write to it; run chmod 700 on it, or use another directory.`;
  throw new McpError("MCP_STORAGE_FAILED", message, { phase: "config" });
}

/** @returns an error of this store as it is; one of the system as `MCP_STORAGE_FAILED` */
function unwritable(directory: string, error: unknown): McpError {
  const reason = (error as NodeJS.ErrnoException).code ?? thrownText(error);
  const message = `${directory} cannot be written to (${reason}); check that it is a folder and that you can write to it.`;
  return toMcpError(error, "MCP_STORAGE_FAILED", message, { phase: "config" });
}

function describe(file: string, { reason, remedy }: Fault): string {
  return `${file} is not used: ${reason}, so the approvals made with it do not count; ${remedy}.`;
}

/** A new key would void every approval made with this one, which may only need its permissions restored. */
function untrusted(file: string, fault: Fault): McpError {
  return new McpError("MCP_STORAGE_FAILED", describe(file, fault), { phase: "approve", location: { file } });
}
