import { constants, type Stats } from "node:fs";
import { access, lstat, readlink, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { McpError, thrownText, toMcpError } from "@jackfield/mcp-core";
import { addFile, hasErrorCode, isSomebodyElses, replaceFile } from "@jackfield/mcp-core/node";
import { refuseWayOut } from "./project-links.ts";

export interface WriteOptions {
  /** Whether an existing file is replaced. */
  readonly replaces: boolean;
  /** The folder in whose project the file may be. */
  readonly cwd: string;
}

/**
 * Writes a draft beside the file and moves it into place, so that a full disk, or an end of the process, does not destroy what was there
 * before. A link is followed, unless it leads out of its project. Written in place are special files such as pipes, files of other users,
 * and files that cannot be replaced where they are.
 *
 * @throws McpError `MCP_STORAGE_FAILED` with the system's reason; `MCP_CONFIG_INVALID` if the file exists and may not be replaced, or
 * with the place that a link leads to
 */
export async function writeWholeFile(
  file: string,
  text: string,
  { replaces, cwd }: WriteOptions,
): Promise<void> {
  try {
    // Checked first: an existing file is the reason to report, even if the disk is full.
    if (!replaces && (await exists(file))) throw alreadyExists(file);
    const existing = await statOrUndefined(file);
    const target = await endOfLinks(file);
    await refuseWayOut({ file, target, cwd });
    if (existing !== undefined) await overwrite(file, text, existing);
    else if (replaces) replaceFile(target, text);
    else if (!addFile(target, text)) throw alreadyExists(file);
  } catch (error) {
    throw hasErrorCode(error, "EEXIST") ? alreadyExists(file) : cannotWrite(file, error);
  }
}

/** Errors of the folder, or of a file that is a mount point: the file itself may still be writable. */
const IRREPLACEABLE: readonly unknown[] = ["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV"];

async function overwrite(file: string, text: string, existing: Stats): Promise<void> {
  // A replacement would belong to this user.
  if (!existing.isFile() || isSomebodyElses(existing)) return writeFile(file, text);
  // Replacing it needs rights in its folder alone, so the file's own are checked here.
  await access(file, constants.W_OK);
  try {
    replaceFile(await realpath(file), text, { mode: existing.mode & 0o777 });
  } catch (error) {
    if (!IRREPLACEABLE.includes((error as NodeJS.ErrnoException).code)) throw error;
    await writeFile(file, text);
  }
}

async function statOrUndefined(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The real path of a file, even if it, or the target of its link, does not exist yet. */
async function endOfLinks(file: string): Promise<string> {
  return realpath(file).catch(() => endOfLooseLinks(file));
}

/** Follows links one by one, where `realpath` fails. */
async function endOfLooseLinks(file: string): Promise<string> {
  const folder = await realpath(dirname(file));
  const target = await readlink(file).catch(() => undefined);
  if (target === undefined) return join(folder, basename(file));
  // Not normalised as text: after a link, ".." is the parent of the folder it leads to, not of the one it is in.
  return endOfLinks(isAbsolute(target) ? target : folder + sep + target);
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

const STEPS: { readonly [code: string]: string } = {
  ENOSPC: "free some space on its disk",
  EDQUOT: "free some space in your disk quota",
  ENOENT: "create its folder first",
  EISDIR: "name a file",
};

function alreadyExists(file: string): McpError {
  const message = `${file} already exists and was not changed; --force replaces it.`;
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config", location: { file } });
}

function cannotWrite(file: string, error: unknown): McpError {
  const reason = (error as NodeJS.ErrnoException).code ?? thrownText(error);
  const message = `${file} cannot be written (${reason}); ${STEPS[reason] ?? "check that it is writable"}.`;
  return toMcpError(error, "MCP_STORAGE_FAILED", message, { phase: "config", location: { file } });
}
