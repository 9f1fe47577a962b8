import { posix, win32 } from "node:path";

/** Where a command is looked for, and what is known of the files there. */
export interface CommandSearch {
  readonly platform: NodeJS.Platform;
  /** The value of `PATH`. */
  readonly path: string;
  /** The value of `PATHEXT`; read on Windows only. Default `.COM;.EXE;.BAT;.CMD`. */
  readonly pathExt?: string | undefined;
  /** Absolute; what a command that is a relative path is relative to. */
  readonly cwd: string;
  /** Directories in which `PATH` finds nothing, besides their subdirectories. Default `[cwd]`. */
  readonly projects?: readonly string[] | undefined;
  isExecutable(file: string): boolean;
  /** The path without symbolic links. Default: the path as it is. */
  realPath?(path: string): string;
}

/** What a search came to. */
export interface CommandFinding {
  /** The absolute path of the file to start; missing if there is none. */
  readonly file?: string | undefined;
  /** Why there is none although `PATH` would have had one. */
  readonly passedOver?: PassedOver | undefined;
}

/** An entry of `PATH` in which the command exists, but does not count. */
export interface PassedOver {
  readonly entry: string;
  readonly reason: "relative" | "in-project";
}

/** What Windows can start; other extensions in `PATHEXT` belong to documents that some program opens. */
const RUNNABLE_EXTENSIONS: readonly string[] = [".com", ".exe", ".bat", ".cmd"];

/**
 * Finds the file that a command names, as an absolute path, so that nobody else looks it up again: the system would search
 * the working directory too, on Windows even before `PATH` (threat T18). A command with a separator in it is a path and used
 * as given. A bare name is searched in the absolute entries of `PATH` that are not inside a project: what an opened
 * repository brings along must not run in place of the user's `npx`.
 */
export function findCommand(command: string, search: CommandSearch): CommandFinding {
  const { isAbsolute, resolve } = search.platform === "win32" ? win32 : posix;
  if (isPath(command, search.platform)) {
    const file = isAbsolute(command) ? command : resolve(search.cwd, command);
    return { file: spellings(file, search).find((spelling) => search.isExecutable(spelling)) ?? file };
  }
  let passedOver: PassedOver | undefined;
  for (const entry of entriesOf(search)) {
    const directory = resolve(search.cwd, entry);
    const file = spellings(resolve(directory, command), search).find((found) => search.isExecutable(found));
    if (file === undefined) continue;
    const reason = distrust(entry, directory, search);
    if (reason === undefined) return { file };
    passedOver ??= { entry, reason };
  }
  return { passedOver };
}

/**
 * The directories among these that may be an opened project: not the root of a file system and not what holds the user's
 * home, where services and desktop programs are started.
 */
export function projectsAmong(
  directories: readonly string[],
  home: string,
  platform: NodeJS.Platform,
): readonly string[] {
  const { dirname } = platform === "win32" ? win32 : posix;
  return directories.filter(
    (directory) => dirname(directory) !== directory && !isInside(home, directory, platform),
  );
}

/**
 * A `PATH` for a child: what it starts in turn, such as the `node` that `npx` asks `env` for, must not be looked for in the
 * directory it works in either. Nothing if no entry is left; an empty one would mean that directory.
 */
export function withoutRelativeEntries(path: string, platform: NodeJS.Platform): string | undefined {
  const delimiter = delimiterOf(platform);
  const kept = path.split(delimiter).filter((entry) => isFixed(unquoted(entry, platform), platform));
  return kept.length > 0 ? kept.join(delimiter) : undefined;
}

/** A colon on Windows is a drive or a stream of a file: no bare name has one. */
function isPath(command: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" ? /[\\/:]/.test(command) : command.includes("/");
}

function entriesOf({ path, platform }: CommandSearch): readonly string[] {
  return path.split(delimiterOf(platform)).map((entry) => unquoted(entry, platform));
}

function delimiterOf(platform: NodeJS.Platform): string {
  return platform === "win32" ? ";" : ":";
}

function unquoted(entry: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? entry.replaceAll('"', "") : entry;
}

/** Without a drive, a path on Windows means the current one. */
function isFixed(entry: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" ? /^([a-z]:[\\/]|[\\/]{2})/i.test(entry) : posix.isAbsolute(entry);
}

function distrust(entry: string, directory: string, search: CommandSearch): PassedOver["reason"] | undefined {
  const { platform, projects = [search.cwd], realPath = (path: string) => path } = search;
  if (!isFixed(entry, platform)) return "relative";
  const isOfProject = projects.some(
    (project) =>
      isInside(directory, project, platform) || isInside(realPath(directory), realPath(project), platform),
  );
  return isOfProject ? "in-project" : undefined;
}

function isInside(path: string, directory: string, platform: NodeJS.Platform): boolean {
  const { isAbsolute, relative, sep } = platform === "win32" ? win32 : posix;
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The names a file may have on the disk. Windows adds an extension where there is none that it can start. */
function spellings(file: string, { platform, pathExt }: CommandSearch): readonly string[] {
  if (platform !== "win32") return [file];
  const listed = (pathExt ?? "")
    .split(";")
    .filter((name) => RUNNABLE_EXTENSIONS.includes(name.toLowerCase()));
  const extensions = listed.length > 0 ? listed : RUNNABLE_EXTENSIONS;
  const added = extensions.map((extension) => file + extension);
  return RUNNABLE_EXTENSIONS.includes(win32.extname(file).toLowerCase()) ? [file, ...added] : added;
}
