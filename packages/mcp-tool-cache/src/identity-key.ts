import { type Logger, McpError } from "@jackfield/mcp-core";
import { cryptography, type PrivateFolder } from "@jackfield/mcp-core/node";
import { removeUnusable } from "./catalog-file.ts";
import { isBusy } from "./lock-queue.ts";

/** Length of a key in bytes. */
export const KEY_BYTES = 32;

const KEY_FILE = "identity.key";
/** Each attempt may wait for a repair by another process. */
const ATTEMPTS = 10;

const REPLACED =
  "The key of the tool catalog was damaged, or other users could read it; it was replaced, and every server is listed again.";

/** A key that is forgotten when the process ends. */
export function temporaryIdentityKey(): Uint8Array {
  return cryptography().randomBytes(KEY_BYTES);
}

/**
 * Reads the folder's key, which is made at the first use; concurrent processes agree on one. Anything that is not a key of the right
 * length (a link, a torn file), or that others could have read or written, is replaced with a warning: entries sealed with it are no
 * longer found.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if the file belongs to another user or cannot be made; an error for which `isBusy` holds if a
 * repair by another process takes too long.
 */
export function readIdentityKey(folder: PrivateFolder, log: Logger): Uint8Array {
  let busyError: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const found = folder.inspect(KEY_FILE);
    if (found === undefined) {
      folder.add(KEY_FILE, temporaryIdentityKey());
      continue;
    }
    const key = found.fault || found.wasReadable ? undefined : folder.read(KEY_FILE);
    if (key?.kind === "file" && key.bytes.length === KEY_BYTES) return key.bytes;
    try {
      if (removeUnusable(folder, KEY_FILE, found)) log("warn", REPLACED, { file: folder.pathOf(KEY_FILE) });
    } catch (error) {
      // The repairing process leaves a key that all share. With another key, this process would not find the entries sealed with
      // that one.
      if (!isBusy(error)) throw error;
      busyError = error;
    }
  }
  if (busyError !== undefined) throw busyError;
  throw new McpError("MCP_STORAGE_FAILED", `No key can be stored in ${folder.path}; name another directory.`);
}
