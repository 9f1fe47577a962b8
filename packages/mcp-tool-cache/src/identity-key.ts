import { join } from "node:path";
import { type Logger, McpError } from "@jackfield/mcp-core";
import { cryptography, fileSystem } from "./builtin-modules.ts";
import { isSecretFile, lookAtPrivateFile } from "./private-path.ts";
import { type FileMark, setAside } from "./set-aside.ts";
import { isBusy } from "./sqlite-error.ts";
import { hasCode } from "./system-error.ts";

const { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } = fileSystem;

/** Length of a key in bytes. */
export const KEY_BYTES = 32;

const KEY_FILE = "identity.key";
/** Each attempt may wait for a repair by another process. */
const ATTEMPTS = 10;

/** A key that is forgotten when the process ends. */
export function temporaryIdentityKey(): Uint8Array {
  return cryptography.randomBytes(KEY_BYTES);
}

/**
 * Reads the directory's key, which is made at the first use; concurrent processes agree on one. Anything that is not a key of the
 * right length (a link, a directory, a torn file), or that others could have read or written, is set aside and replaced with a
 * warning: entries sealed with it are no longer found.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if the file belongs to another user; the system's error if it cannot be made; an error for
 * which `isBusy` holds if a repair by another process takes too long.
 */
export function readIdentityKey(directory: string, log: Logger): Uint8Array {
  const file = join(directory, KEY_FILE);
  let busyError: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const found = lookAtPrivateFile(file);
    if (found === undefined) {
      makeKey(file);
    } else if (isSecretFile(found) && found.size === BigInt(KEY_BYTES)) {
      return readFileSync(file);
    } else {
      try {
        setKeyAside(file, found, log);
      } catch (error) {
        // The repairing process leaves a key that all share. With another key, this process would not find the entries sealed with
        // that one.
        if (!isBusy(error)) throw error;
        busyError = error;
      }
    }
  }
  if (busyError !== undefined) throw busyError;
  throw new McpError("MCP_STORAGE_FAILED", `No key can be stored in ${directory}; name another directory.`);
}

function setKeyAside(file: string, found: FileMark, log: Logger): void {
  const aside = setAside(file, found);
  if (aside === undefined) return;
  const message =
    "The key of the tool catalog was damaged, or other users could read it; it was set aside, and every server is listed again.";
  log("warn", message, { file, aside });
}

/** Writes a key to a draft file and links it into place: readers see a whole key, and the first one stays. */
function makeKey(file: string): void {
  const draft = `${file}.${cryptography.randomUUID()}`;
  try {
    writeFileSync(draft, cryptography.randomBytes(KEY_BYTES), { flag: "wx", mode: 0o600 });
    publish(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    // Some file systems have no hard links. A reader may then see half a key and replace it, which costs no more than misses.
    copyExclusively(draft, file);
  }
}

function copyExclusively(draft: string, file: string): void {
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
