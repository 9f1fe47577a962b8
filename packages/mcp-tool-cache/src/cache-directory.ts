import { userInfo } from "node:os";
import { posix, win32 } from "node:path";

/** What the default directory depends on. */
export interface CacheSurroundings {
  readonly platform: NodeJS.Platform;
  readonly env: { readonly [name: string]: string | undefined };
  /** The user's home directory. What is no absolute path, as where `HOME` is empty, is none: then it is the one that the system knows. */
  readonly home: string;
}

/**
 * Where the catalog lies unless a directory is named: `$JACKFIELD_HOME/cache`, else the platform's place for a user's
 * caches, which is `%LOCALAPPDATA%\jackfield\Cache` on Windows and `$XDG_CACHE_HOME/jackfield` elsewhere, with
 * `~/Library/Caches/jackfield` (macOS) or `~/.cache/jackfield` where that variable is unset. A relative
 * `JACKFIELD_HOME` is ignored, and so is a relative `XDG_CACHE_HOME`, as the XDG Base Directory Specification asks.
 */
export function defaultCacheDirectory({ platform, env, home }: CacheSurroundings): string {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  // A relative one would lie in whatever project is open, with the key that its entries are sealed with.
  if (env.JACKFIELD_HOME && isAbsolute(env.JACKFIELD_HOME)) return join(env.JACKFIELD_HOME, "cache");
  const folder = isAbsolute(home) ? home : userInfo().homedir;
  if (platform === "win32") {
    return join(env.LOCALAPPDATA || join(folder, "AppData", "Local"), "jackfield", "Cache");
  }
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, "jackfield");
  return platform === "darwin"
    ? join(folder, "Library", "Caches", "jackfield")
    : join(folder, ".cache", "jackfield");
}
