import { homedir, userInfo } from "node:os";
import { posix, win32 } from "node:path";
import { McpError } from "@jackfield/mcp-core";

/** What the default directory depends on. */
export interface CacheSurroundings {
  readonly platform: NodeJS.Platform;
  readonly env: { readonly [name: string]: string | undefined };
  /**
   * The user's home directory. Default: `os.homedir()`. If it is not an absolute path, for example because `HOME` is empty, the
   * home directory in the system's user database is used.
   */
  readonly home?: string | undefined;
}

/**
 * The directory of the catalog unless one is named: `$JACKFIELD_HOME/cache`, else the platform's place for a user's caches, which
 * is `%LOCALAPPDATA%\jackfield\Cache` on Windows and `$XDG_CACHE_HOME/jackfield` elsewhere, with `~/Library/Caches/jackfield`
 * (macOS) or `~/.cache/jackfield` if that variable is unset. A relative `JACKFIELD_HOME` is ignored, and so is a relative
 * `XDG_CACHE_HOME`, as the XDG Base Directory Specification demands.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if it depends on the home directory and neither the environment nor the system knows one
 */
export function defaultCacheDirectory({ platform, env, home }: CacheSurroundings): string {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  // A relative path would put the catalog and its key into whatever project is open.
  if (env.JACKFIELD_HOME && isAbsolute(env.JACKFIELD_HOME)) return join(env.JACKFIELD_HOME, "cache");
  const inHome = (...names: readonly string[]) => join(knownHome(home, isAbsolute), ...names);
  if (platform === "win32") return join(env.LOCALAPPDATA || inHome("AppData", "Local"), "jackfield", "Cache");
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, "jackfield");
  return platform === "darwin" ? inHome("Library", "Caches", "jackfield") : inHome(".cache", "jackfield");
}

/** In many containers neither the environment nor the system's user database knows the user's home directory. */
function knownHome(named: string | undefined, isAbsolute: (path: string) => boolean): string {
  try {
    const home = named ?? homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch (cause) {
    const message = "This user's home directory is unknown; set JACKFIELD_HOME to a folder.";
    throw new McpError("MCP_STORAGE_FAILED", message, { phase: "config", cause });
  }
}
