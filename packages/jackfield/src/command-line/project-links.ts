import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "../builtin-modules.ts";

/** A file that is about to be written. */
export interface WrittenPlace {
  readonly file: string;
  /** Where its links end. */
  readonly target: string;
  /** The folder whose project it may belong to. */
  readonly cwd: string;
}

/**
 * A project that was cloned brings its links along: one that leads out of it would have a command replace a file that has nothing to do with it
 * (threat T24). Links within the project are its own business, and a file that is named outside of it is its user's.
 *
 * @throws McpError `MCP_CONFIG_INVALID` that names both places
 */
export async function refuseWayOut({ file, target, cwd }: WrittenPlace): Promise<void> {
  const root = projectTop(await realpath(cwd));
  if (isInside(target, root) || !(await isNamedInside(file, root))) return;
  const message = `${file} was not written: it leads by a link out of the project, to ${target}. Remove the link, or name that file itself if it is the one you mean.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", location: { file } });
}

/** The nearest folder upward that holds a repository, else the given one. */
function projectTop(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (fileSystem.existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

/** Whether one of the folders that a path goes through is the project's. */
async function isNamedInside(file: string, root: string): Promise<boolean> {
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined && isInside(real, root)) return true;
    if (dirname(folder) === folder) return false;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
