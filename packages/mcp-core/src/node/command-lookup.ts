import { posix, win32 } from "node:path";
import { fileSystem } from "./builtin-modules.ts";

/** Where a command is looked for, and access to the files there. */
export interface CommandSearch {
  readonly platform: NodeJS.Platform;
  /** The value of `PATH`. */
  readonly path: string;
  /** The value of `PATHEXT`; read on Windows only. Default `.COM;.EXE;.BAT;.CMD`. */
  readonly pathExt?: string | undefined;
  /** Absolute; the base of a command that is a relative path. */
  readonly cwd: string;
  /** Entries of `PATH` in these directories or below them are skipped. Default `[cwd]`. */
  readonly projects?: readonly string[] | undefined;
  /** Default: by the file system. */
  isExecutable?(file: string): boolean;
  /** The path without symbolic links. Default: by the file system; the path as it is if there is no such file. */
  realPath?(path: string): string;
}

/** The result of a search. */
export interface CommandFinding {
  /** The absolute path of the file to start; missing if there is none. */
  readonly file?: string | undefined;
  /** Why there is none although an entry of `PATH` has the command. */
  readonly passedOver?: PassedOver | undefined;
}

/** An entry of `PATH` that has the command but is skipped. */
export interface PassedOver {
  readonly entry: string;
  readonly reason: "relative" | "in-project";
}

/** What Windows can start; other extensions in `PATHEXT` belong to documents that some program opens. */
const RUNNABLE_EXTENSIONS: readonly string[] = [".com", ".exe", ".bat", ".cmd"];

/**
 * Finds the file that a command names, as an absolute path, so that the system does not look it up again: it would search
 * the working directory too, on Windows even before `PATH` (threat T18). A command with a separator in it is a path and used
 * as given. A bare name is searched in the absolute entries of `PATH` that are not inside a project: a file of an opened
 * repository must not run in place of the user's `npx`.
 */
export function findCommand(command: string, search: CommandSearch): CommandFinding {
  const { isAbsolute, resolve } = search.platform === "win32" ? win32 : posix;
  const { isExecutable: isFound = isExecutable } = search;
  if (isPath(command, search.platform)) {
    const file = isAbsolute(command) ? command : resolve(search.cwd, command);
    return { file: spellings(file, search).find(isFound) ?? file };
  }
  let passedOver: PassedOver | undefined;
  for (const entry of entriesOf(search)) {
    const directory = resolve(search.cwd, entry);
    const file = spellings(resolve(directory, command), search).find(isFound);
    if (file === undefined) continue;
    const reason = distrust(entry, directory, search);
    if (reason === undefined) return { file };
    passedOver ??= { entry, reason };
  }
  return { passedOver };
}

/**
 * Those of the directories that may be an opened project. The root of a file system and directories that contain the user's
 * home are not: services and desktop programs are started there.
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
 * A `PATH` for a child without relative entries. A program that the child starts in turn, such as the `node` that `npx` asks
 * `env` for, must not be looked for in the working directory either. `undefined` if no entry is left, because an empty
 * `PATH` would mean that directory.
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

/** Without a drive, a path on Windows is relative to the current drive. */
function isFixed(entry: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" ? /^([a-z]:[\\/]|[\\/]{2})/i.test(entry) : posix.isAbsolute(entry);
}

function distrust(entry: string, directory: string, search: CommandSearch): PassedOver["reason"] | undefined {
  const { platform, projects = [search.cwd], realPath = withoutLinks } = search;
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

/** The names that a file may have on the disk. Windows adds an extension to a name without a runnable one. */
function spellings(file: string, { platform, pathExt }: CommandSearch): readonly string[] {
  if (platform !== "win32") return [file];
  const listed = (pathExt ?? "")
    .split(";")
    .filter((name) => RUNNABLE_EXTENSIONS.includes(name.toLowerCase()));
  const extensions = listed.length > 0 ? listed : RUNNABLE_EXTENSIONS;
  const added = extensions.map((extension) => file + extension);
  return RUNNABLE_EXTENSIONS.includes(win32.extname(file).toLowerCase()) ? [file, ...added] : added;
}

function isExecutable(file: string): boolean {
  const { accessSync, constants, statSync } = fileSystem;
  try {
    accessSync(file, process.platform === "win32" ? constants.F_OK : constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function withoutLinks(path: string): string {
  try {
    return fileSystem.realpathSync(path);
  } catch {
    return path;
  }
}
