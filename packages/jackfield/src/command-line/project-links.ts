import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";

/** A file that is about to be written. */
export interface WrittenPlace {
  readonly file: string;
  /** The file itself, with all links followed. */
  readonly target: string;
  /** The folder whose project the file may belong to. */
  readonly cwd: string;
}

/**
 * Refuses a link that leads out of the project: links come with a cloned project, and one could make a command replace an unrelated file
 * (threat T24). Links within the project are allowed, and so is a file that the user names outside of it.
 *
 * @throws McpError `MCP_CONFIG_INVALID` that names both places
 */
export async function refuseWayOut({ file, target, cwd }: WrittenPlace): Promise<void> {
  const root = projectTop(await realpath(cwd));
  if (isInside(target, root) || !(await isNamedInside(file, root))) return;
  const message = `${file} was not written: its path leads through a link out of the project, to ${target}. Remove the link, or name that file itself.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", location: { file } });
}

/** The nearest folder upward that contains a repository, else the given one. */
function projectTop(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (fileSystem.existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

/** Whether a folder on the path lies in the project. */
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
