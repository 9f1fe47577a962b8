import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, McpError, type StateStore, silentLogger } from "@jackfield/mcp-core";
import { cryptography, fileSystem } from "../builtin-modules.ts";

const { constants } = fileSystem;

/** Where `fileStateStore` keeps its files. */
export interface FileStateStoreOptions {
  /** Where the files are kept; made when missing, with mode 0700. Never derive it from a file of a project. */
  readonly directory: string;
  /** Hears of files that are not trusted. Default: nobody. */
  readonly log?: Logger | undefined;
}

/** Longer values are not what this store is for. */
const LARGEST_FILE_BYTES = 1_048_576;
const OTHERS_MAY_WRITE = 0o022;
const FILE_SUFFIX = ".json";

/**
 * Keeps what must be remembered between runs: one file of mode 0600 for each key, so that two processes can write at once.
 * A value is written beside its place and moved there: a reader meets the old one or the new one, and a link that was put in
 * the place of a file is replaced, never followed.
 *
 * A file that is a link, belongs to somebody else or may be written by others counts as missing and is reported once: it
 * could be anybody's word ([T08], [T09] of the threat list).
 */
export function fileStateStore({ directory, log = silentLogger }: FileStateStoreOptions): StateStore {
  const reported = new Set<string>();
  const distrust = (file: string, reason: string): undefined => {
    if (!reported.has(file)) log("warn", `${file} is not used: ${reason}`, { file });
    reported.add(file);
  };
  const read = async (name: string): Promise<Remembered | undefined> =>
    readRemembered(join(directory, name), distrust);

  return {
    async get(key) {
      const found = await read(fileName(key));
      return found?.key === key ? found.value : undefined;
    },
    async set(key, value) {
      const { mkdir, open, rename, rm } = fileSystem.promises;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await refuseForeign(directory);
      const draft = join(directory, `.${cryptography().randomUUID()}`);
      const file = await open(draft, "wx", 0o600);
      try {
        await file.writeFile(JSON.stringify({ key, value }));
        await file.sync();
        await file.close();
        await rename(draft, join(directory, fileName(key)));
      } catch (error) {
        await file.close().catch(() => undefined);
        await rm(draft, { force: true });
        throw error;
      }
    },
    async delete(key) {
      await fileSystem.promises.rm(join(directory, fileName(key)), { force: true });
    },
    async keys(prefix) {
      const names = await fileSystem.promises.readdir(directory).catch(() => []);
      const files = await Promise.all(
        names.filter((name) => name.endsWith(FILE_SUFFIX)).map((name) => read(name)),
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

/** A key may be anything; a file's name may not. */
function fileName(key: string): string {
  return cryptography().createHash("sha256").update(key).digest("hex") + FILE_SUFFIX;
}

async function readRemembered(
  file: string,
  distrust: (file: string, reason: string) => undefined,
): Promise<Remembered | undefined> {
  let handle: FileHandle;
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    handle = await fileSystem.promises.open(file, flags);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === "ENOENT"
      ? undefined
      : distrust(file, code === "ELOOP" ? "it is a link" : `the system says ${code}`);
  }
  try {
    const stats = await handle.stat();
    const fault = faultOf(stats);
    if (fault !== undefined) return distrust(file, fault);
    return parse(await handle.readFile("utf8")) ?? distrust(file, "it is damaged");
  } finally {
    await handle.close();
  }
}

function faultOf(stats: { isFile(): boolean; uid: number; mode: number; size: number }): string | undefined {
  const user = process.getuid?.();
  if (!stats.isFile()) return "it is not a regular file";
  if (stats.size > LARGEST_FILE_BYTES) return "it is too large";
  if (user === undefined) return undefined;
  if (stats.uid !== user) return "it belongs to another user";
  return (stats.mode & OTHERS_MAY_WRITE) === 0 ? undefined : "others may write it";
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

/** @throws McpError `MCP_CONFIG_INVALID` for a directory in which somebody else could put files. */
async function refuseForeign(directory: string): Promise<void> {
  const user = process.getuid?.();
  const stats = await fileSystem.promises.stat(directory);
  if (user === undefined || (stats.uid === user && (stats.mode & OTHERS_MAY_WRITE) === 0)) return;
  const message = `${directory} belongs to another user or others may write in it; take that right away (chmod 700) or name another directory.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
