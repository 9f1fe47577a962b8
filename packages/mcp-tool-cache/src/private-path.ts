import type { BigIntStats } from "node:fs";
import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "./builtin-modules.ts";

const { chmodSync, lstatSync, mkdirSync, statSync } = fileSystem;

const OTHERS_MAY_WRITE = 0o022n;
const OTHERS_MAY_ANYTHING = 0o077n;

/**
 * Creates the directory, for its owner alone, if it is missing. An existing one is not changed, but refused if it belongs to
 * another user or others may write in it: they could put their own catalog there.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if it is refused; the system's error if it cannot be made.
 */
export function preparePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = statSync(directory, { bigint: true });
  requireOwner(directory, found);
  if (hasModes() && found.mode & OTHERS_MAY_WRITE) {
    throw new McpError(
      "MCP_STORAGE_FAILED",
      `Other users can write to ${directory}; remove their access (chmod 700) or name another directory.`,
    );
  }
}

/**
 * The stats of the path, without following a link, or `undefined` if nothing is there. If others have access to the file, that is
 * taken away; the stats still show the mode from before.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if it belongs to another user.
 */
export function lookAtPrivateFile(file: string): BigIntStats | undefined {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return undefined;
  requireOwner(file, found);
  if (hasModes() && found.isFile() && found.mode & OTHERS_MAY_ANYTHING) chmodSync(file, 0o600);
  return found;
}

/** Whether it is a regular file that no other user could have written. */
export function isOwnFile(found: BigIntStats): boolean {
  return found.isFile() && !(hasModes() && found.mode & OTHERS_MAY_WRITE);
}

/**
 * Whether it is a regular file that no other user could have read or written. Files from a repository or an archive are readable by
 * others.
 */
export function isSecretFile(found: BigIntStats): boolean {
  return found.isFile() && !(hasModes() && found.mode & OTHERS_MAY_ANYTHING);
}

function requireOwner(path: string, found: BigIntStats): void {
  const user = process.getuid?.();
  if (user === undefined || found.uid === BigInt(user)) return;
  throw new McpError("MCP_STORAGE_FAILED", `${path} belongs to another user; name another directory.`);
}

/** Windows has no such modes: there the directory is private because it lies in the user's profile. */
function hasModes(): boolean {
  return process.getuid !== undefined;
}
