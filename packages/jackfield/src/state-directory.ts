import { userInfo } from "node:os";
import { posix, win32 } from "node:path";

/** What the directory depends on. */
export interface StateSurroundings {
  readonly platform: NodeJS.Platform;
  readonly env: { readonly [name: string]: string | undefined };
  /** The user's home directory. What is no absolute path, as where `HOME` is empty, is none: then it is the one that the system knows. */
  readonly home: string;
}

/**
 * Where Jackfield keeps what it must remember between runs but could do without: `$JACKFIELD_HOME/state` if that is absolute, else the platform's
 * place for a program's state, `$XDG_STATE_HOME/jackfield` or `~/.local/state/jackfield` (XDG Base Directory Specification),
 * `~/Library/Application Support/jackfield` on macOS, `%LOCALAPPDATA%\jackfield\State` on Windows.
 */
export function stateDirectory({ platform, env, home }: StateSurroundings): string {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  // A relative one would lie in whatever project is open, which could then bring its own approvals.
  if (env.JACKFIELD_HOME && isAbsolute(env.JACKFIELD_HOME)) return join(env.JACKFIELD_HOME, "state");
  const folder = isAbsolute(home) ? home : userInfo().homedir;
  if (platform === "win32") {
    return join(env.LOCALAPPDATA || join(folder, "AppData", "Local"), "jackfield", "State");
  }
  if (env.XDG_STATE_HOME && isAbsolute(env.XDG_STATE_HOME)) return join(env.XDG_STATE_HOME, "jackfield");
  return platform === "darwin"
    ? join(folder, "Library", "Application Support", "jackfield")
    : join(folder, ".local", "state", "jackfield");
}
