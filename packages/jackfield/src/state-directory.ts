import { homedir, userInfo } from "node:os";
import { join, posix, win32 } from "node:path";

/** What the directory depends on. */
export interface StateDirectoryOptions {
  readonly platform: NodeJS.Platform;
  readonly env: { readonly [name: string]: string | undefined };
  /**
   * The user's home directory. Default: that of this process. If it is not an absolute path, as with an empty `HOME`, the system's own
   * record of the user is used.
   */
  readonly home?: string | undefined;
}

/**
 * Where Jackfield keeps state between runs that it could do without: `$JACKFIELD_HOME/state` if that is absolute, else the platform's place
 * for a program's state, `$XDG_STATE_HOME/jackfield` or `~/.local/state/jackfield` (XDG Base Directory Specification),
 * `~/Library/Application Support/jackfield` on macOS, `%LOCALAPPDATA%\jackfield\State` on Windows; `undefined` if that depends on an
 * unknown home directory.
 */
export function stateDirectory({ platform, env, home }: StateDirectoryOptions): string | undefined {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  // A relative path would lie in the current project, which could then bring its own approvals.
  if (env.JACKFIELD_HOME && isAbsolute(env.JACKFIELD_HOME)) return join(env.JACKFIELD_HOME, "state");
  const folder = knownHome(home, isAbsolute);
  const inHome = (...names: readonly string[]) => folder && join(folder, ...names);
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || inHome("AppData", "Local");
    return local && join(local, "jackfield", "State");
  }
  if (env.XDG_STATE_HOME && isAbsolute(env.XDG_STATE_HOME)) return join(env.XDG_STATE_HOME, "jackfield");
  return platform === "darwin"
    ? inHome("Library", "Application Support", "jackfield")
    : inHome(".local", "state", "jackfield");
}

/** This process's state directory for something of that name. Only the environment decides where it is, never a project file. */
export function ownStateDirectory(name: string): string | undefined {
  const directory = stateDirectory({ platform: process.platform, env: process.env });
  return directory && join(directory, name);
}

/** A user that neither the environment nor the system's list of users knows, as in many containers, has no home. */
function knownHome(named: string | undefined, isAbsolute: (path: string) => boolean): string | undefined {
  try {
    const home = named ?? homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch {
    return undefined;
  }
}
