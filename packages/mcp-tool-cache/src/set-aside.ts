import { fileSystem } from "./builtin-modules.ts";
import { withRepairLock } from "./repair-lock.ts";
import { BLOCKING_TIMEOUT_MS } from "./sqlite-module.ts";
import { hasCode } from "./system-error.ts";

const { lstatSync, renameSync } = fileSystem;

/** How many files are kept for inspection. After that the last one is replaced, so that they do not fill a failing disk. */
const KEPT = 9;

/** The identity of the file that was found at a path. */
export interface FileMark {
  readonly dev: bigint;
  readonly ino: bigint;
}

export interface SetAsideOptions {
  /** The suffixes of files that are moved along, such as `-wal`. */
  readonly companions?: readonly string[] | undefined;
  /** How long to wait for a repair by another process, in milliseconds. Default `BLOCKING_TIMEOUT_MS`. */
  readonly blockingTimeoutMs?: number | undefined;
}

/**
 * Moves an unusable file to `<file>.corrupt-<n>`, with its companions (`-wal`, `-shm`), and returns the new path. Returns
 * `undefined` and moves nothing if the path holds another file by now: another process has repaired it already.
 *
 * @throws McpError `MCP_LIMIT_EXCEEDED`, for which `isBusy` holds, if a repair by another process takes longer than `blockingTimeoutMs`.
 */
export function setAside(
  file: string,
  mark: FileMark,
  { companions = [], blockingTimeoutMs = BLOCKING_TIMEOUT_MS }: SetAsideOptions = {},
): string | undefined {
  const move = () => {
    const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (found === undefined || found.ino !== mark.ino || found.dev !== mark.dev) return undefined;
    const aside = freePath(file);
    renameSync(file, aside);
    for (const companion of companions) moveIfThere(file + companion, aside + companion);
    return aside;
  };
  return withRepairLock(file, move, blockingTimeoutMs);
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

function freePath(file: string): string {
  let number = 1;
  while (number < KEPT && exists(`${file}.corrupt-${number}`)) number += 1;
  return `${file}.corrupt-${number}`;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
