import { lstat, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The folder the demo servers work in: the same at every start, because the catalog knows a server again by its command
 * line, and nobody's but ours. If something else stands in its place, a fresh folder is made instead.
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

/** A folder that others may enter, or that belongs to them, could be made to show us what they like. */
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
