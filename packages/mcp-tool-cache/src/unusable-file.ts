import { McpError } from "@jackfield/mcp-core";
import { type InspectedFile, type PrivateFolder, tryFileLock } from "@jackfield/mcp-core/node";

/** The longest SQLite may wait for another process, in milliseconds. It blocks this process meanwhile. */
export const BLOCKING_TIMEOUT_MS = 100;

/** Held by the process that removes a file. */
const LOCK_FILE = "repair.lock";

/** How `removeUnusable` works. */
export interface RemoveOptions {
  /** The suffixes of files that are removed along, such as `-wal`. */
  readonly companions?: readonly string[] | undefined;
  /** How long to wait for another process that removes a file here, in milliseconds. Default `BLOCKING_TIMEOUT_MS`. */
  readonly blockingTimeoutMs?: number | undefined;
}

/**
 * Removes a file that cannot be used, so that it can be made again. Returns whether it did: if there is another file by now, another
 * process has done so already.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if it is not this user's, or no file; `MCP_LIMIT_EXCEEDED`, for which `isBusy` holds, if another
 * process takes longer than `blockingTimeoutMs`.
 */
export function removeUnusable(
  folder: PrivateFolder,
  name: string,
  { mark, fault }: InspectedFile,
  { companions = [], blockingTimeoutMs = BLOCKING_TIMEOUT_MS }: RemoveOptions = {},
): boolean {
  const path = folder.pathOf(name);
  if (fault === "othersOwn")
    throw new McpError("MCP_STORAGE_FAILED", `${path} belongs to another user; name another directory.`);
  if (fault === "notAFile")
    throw new McpError("MCP_STORAGE_FAILED", `${path} is not a file; remove it, or name another directory.`);
  const lockFile = folder.pathOf(LOCK_FILE);
  const lock = tryFileLock(lockFile, blockingTimeoutMs);
  if (lock === undefined) {
    const message = `${lockFile} is locked by another process that repairs the catalog; check whether it hangs.`;
    throw new McpError("MCP_LIMIT_EXCEEDED", message);
  }
  try {
    const found = folder.inspect(name)?.mark;
    if (found?.ino !== mark.ino || found.dev !== mark.dev || found.mtimeNs !== mark.mtimeNs) return false;
    // The file itself last: whoever is stopped in between leaves one that is unusable still.
    for (const suffix of [...companions, ""]) folder.remove(name + suffix);
    return true;
  } finally {
    lock[Symbol.dispose]();
  }
}
