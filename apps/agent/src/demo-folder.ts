import { lstat, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The private folder the demo servers work in. It is the same at every start, because the catalog recognises a server by its
 * command line. If its path is taken by something else, a new folder is made instead.
 *
 * @param parent Where to make it. Default: the system's folder for temporary files.
 */
export async function demoFolder(parent: string = tmpdir()): Promise<string> {
  const folder = join(parent, `jackfield-agent-${process.getuid?.() ?? "user"}`);
  try {
    await mkdir(folder, { mode: 0o700 });
    return folder;
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  return (await isOurs(folder)) ? folder : mkdtemp(`${folder}-`);
}

/** Whether the folder is ours alone. In one that others own or may enter, they could place files for us to read. */
async function isOurs(folder: string): Promise<boolean> {
  const stats = await lstat(folder);
  if (!stats.isDirectory()) return false;
  // Windows has neither user ids nor these modes; its folder for temporary files is the user's own.
  if (process.getuid === undefined) return true;
  return stats.uid === process.getuid() && (stats.mode & 0o077) === 0;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
