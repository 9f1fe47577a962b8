import type { PlatformPath } from "node:path";
import { fileSystem } from "@jackfield/mcp-core/node";
import { absolutePath } from "../absolute-path.ts";
import type { HostSurroundings } from "../hosts/host-dialect.ts";
import { pathRules } from "../hosts/host-paths.ts";

const { existsSync } = fileSystem;

/** On another system, only a path like these is Windows's own. */
const WINDOWS_PATH = /^(?:[a-z]:[\\/]|\\\\)/i;

/**
 * The working directory as an absolute path, and the root of its project: the nearest directory upward that contains `.git`, else the
 * working directory itself. A path of Windows stays one on every system.
 *
 * @throws McpError as `absolutePath` does
 */
export function projectAt(
  cwd: string,
  platform: NodeJS.Platform,
): Pick<HostSurroundings, "cwd" | "projectTop"> {
  const rules = pathRules(platform === "win32" && WINDOWS_PATH.test(cwd) ? { platform } : process);
  const absolute = absolutePath(cwd, rules);
  return { cwd: absolute, projectTop: findProjectTop(absolute, rules) };
}

function findProjectTop(cwd: string, { dirname, join }: PlatformPath): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
