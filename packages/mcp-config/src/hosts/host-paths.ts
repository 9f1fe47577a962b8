import { type PlatformPath, posix, win32 } from "node:path";
import type { HostPath, HostSurroundings } from "./host-dialect.ts";

/** The path rules of a platform, whatever platform this runs on. */
export function pathRules({ platform }: Pick<HostSurroundings, "platform">): PlatformPath {
  return platform === "win32" ? win32 : posix;
}

/** The key by which folders are compared: on Windows case does not count, and a host may write either slash. */
export function folderKey(folder: string, { platform }: Pick<HostSurroundings, "platform">): string {
  return platform === "win32" ? folder.replaceAll("\\", "/").toLowerCase() : folder;
}

/** Returns the paths of files on a machine. */
export type FindPaths = (at: HostSurroundings) => HostPath[];

/** Returns a folder on a machine. */
export type FindFolder = (at: HostSurroundings) => string;

/** Files below the user's home, with `/` between the segments on every platform. */
export function inHome(...files: readonly string[]): FindPaths {
  return (at) => files.map((file) => ({ file: joined(at, at.home, file) }));
}

/** Files in a folder; none if it is relative. */
export function within(folder: FindFolder, ...files: readonly string[]): FindPaths {
  return (at) => inDirectory(at, folder(at), ...files);
}

/** The same file in each directory from the working directory up to the top of the project, the nearest first. */
export function upward(...files: readonly string[]): FindPaths {
  return (at) => {
    const paths: HostPath[] = [];
    for (const root of projectFolders(at)) {
      for (const file of files) paths.push({ file: joined(at, root, file), root });
    }
    return paths;
  };
}

/** Files in a given directory; none if the directory is missing or relative. */
export function inDirectory(
  at: HostSurroundings,
  directory: string | undefined,
  ...files: readonly string[]
): HostPath[] {
  if (directory === undefined || !pathRules(at).isAbsolute(directory)) return [];
  return files.map((file) => ({ file: joined(at, directory, file) }));
}

/** The directories from the working directory up to the top of the project, the nearest first. */
export function projectFolders(at: Pick<HostSurroundings, "cwd" | "projectTop" | "platform">): string[] {
  const { dirname } = pathRules(at);
  const folders = [at.cwd];
  for (let folder = at.cwd; folder !== at.projectTop; ) {
    const above = dirname(folder);
    if (above === folder) break;
    folders.push(above);
    folder = above;
  }
  return folders;
}

/** `$XDG_CONFIG_HOME` or `~/.config`, on every platform. A relative variable is ignored, as the XDG specification asks. */
export function configHome(at: HostSurroundings): string {
  return absolute(at, "XDG_CONFIG_HOME") ?? joined(at, at.home, ".config");
}

/** A folder below the user's home. */
export function homeFolder(path: string): FindFolder {
  return (at) => joined(at, at.home, path);
}

/** A folder below another one. */
export function folderIn(folder: FindFolder, path: string): FindFolder {
  return (at) => joined(at, folder(at), path);
}

/** The file that a variable names, if it is absolute, else other files. */
export function namedFile(variable: string, otherwise: FindPaths = () => []): FindPaths {
  return (at) => {
    const file = absolute(at, variable);
    return file === undefined ? otherwise(at) : [{ file }];
  };
}

/** The folder that a variable names, if it is absolute, else another one. */
export function namedFolder(variable: string, otherwise: FindFolder): FindFolder {
  return (at) => absolute(at, variable) ?? otherwise(at);
}

/**
 * Where programs with a window keep a user's settings: `~/Library/Application Support` on macOS, `%APPDATA%` on Windows,
 * `$XDG_CONFIG_HOME` or `~/.config` elsewhere.
 */
export function applicationData(at: HostSurroundings): string {
  if (at.platform === "darwin") return joined(at, at.home, "Library/Application Support");
  if (at.platform === "win32") return absolute(at, "APPDATA") ?? joined(at, at.home, "AppData/Roaming");
  return configHome(at);
}

/** Windows's own folders, and where they usually are. */
const WINDOWS_FOLDERS = { ProgramData: "C:\\ProgramData", ProgramFiles: "C:\\Program Files" };

/** An administrator's folder, for macOS, Windows and the others. `win32` may begin with `%ProgramData%` or `%ProgramFiles%`. */
export function systemFolder(folders: { darwin: string; win32: string; other: string }): FindFolder {
  return (at) => {
    if (at.platform === "darwin") return folders.darwin;
    if (at.platform !== "win32") return folders.other;
    return folders.win32.replace(/^%(\w+)%/, (_whole, name: keyof typeof WINDOWS_FOLDERS) => {
      return absolute(at, name) ?? WINDOWS_FOLDERS[name];
    });
  };
}

/** The normalised path in a variable, if it is absolute. On Windows, the variable's upper-case name is tried as well. */
export function absolute(at: HostSurroundings, variable: string): string | undefined {
  const value = at.env[variable] ?? (at.platform === "win32" ? at.env[variable.toUpperCase()] : undefined);
  const rules = pathRules(at);
  return value !== undefined && rules.isAbsolute(value) ? rules.normalize(value) : undefined;
}

/**
 * Joins with the separators of the platform. Nothing is normalised: the parts need none of it, and it would take longer than
 * looking for the file.
 */
export function joined(at: HostSurroundings, directory: string, file: string): string {
  const { sep } = pathRules(at);
  const beginning = directory.endsWith(sep) ? directory : directory + sep;
  return beginning + (sep === "/" ? file : file.replaceAll("/", sep));
}

/**
 * A path in which one segment stands for many names: the folder with the names, which of them match, the file of one, and whether they are
 * names of folders that contain the file.
 */
export function readPattern({ file, endings }: HostPath, at: Pick<HostSurroundings, "platform">) {
  const { sep, join } = pathRules(at);
  const segments = file.split(sep);
  const index = segments.findIndex((segment) => segment.includes("*"));
  const [beginning = "", end = ""] = segments[index]?.split("*") ?? [];
  const folder = segments.slice(0, index).join(sep);
  const rest = segments.slice(index + 1);
  return {
    folder,
    matches: (name: string) =>
      name.startsWith(beginning) && (endings ?? [end]).some((ending) => name.endsWith(ending)),
    fileOf: (name: string) => join(folder, name, ...rest),
    areFolders: rest.length > 0,
  };
}
