import { basename, dirname, parse, relative, resolve, sep } from "node:path";
import type { HostFile, HostPath, HostSurroundings } from "../hosts/host-dialect.ts";
import { readPattern } from "./path-pattern.ts";

/** The user's environment and home. The platform is always this one, because the files that are read have its paths. */
export type OwnSurroundings = Pick<HostSurroundings, "env" | "home">;

/**
 * Which of a host's files a file is, by its path; `undefined` if the host does not look for one there. A file in the home directory
 * is the user's own, even if a project's has the same name; any folder above another file may be a project's. An extension's manifest
 * is known by its name wherever it is, because extensions are developed in places of their own.
 */
export function kindOfFile(
  file: string,
  files: readonly HostFile[],
  { env, home }: OwnSurroundings,
): HostFile | undefined {
  const placesAt = (cwd: string) => ({ platform: process.platform, env, home, cwd, projectTop: cwd });
  const isAt = (cwd: string) => {
    const at = placesAt(cwd);
    return ({ paths }: HostFile) => paths(at).some((path) => isFileOf(path, file, at));
  };
  const own = files.filter(({ scope }) => scope !== "project").filter(isAt(home));
  if (own.length > 0) return mostTelling(own);
  const ofProjects = files.filter(({ scope }) => scope === "project");
  for (const folder of foldersAbove(file)) {
    const found = ofProjects.filter(isAt(folder));
    if (found.length > 0) return mostTelling(found);
  }
  const at = placesAt(home);
  return files.find(
    ({ scope, paths }) => scope === "extension" && paths(at).some((path) => isManifestOf(path, file, at)),
  );
}

/** Picks one kind of a file that is read as several: one with servers before one with lists, and the user's before a project's. */
function mostTelling(kinds: readonly HostFile[]): HostFile | undefined {
  const ofServers = kinds.filter(({ servers }) => servers !== "none");
  return ofServers.find(({ scope }) => scope === "user") ?? ofServers[0] ?? kinds[0];
}

function isFileOf(path: HostPath, file: string, at: HostSurroundings): boolean {
  if (!path.isPattern) return resolve(path.file) === file;
  const { folder, matches, fileOf } = readPattern(path, at);
  const [name = ""] = relative(folder, file).split(sep);
  return matches(name) && fileOf(name) === file;
}

/** Whether a host looks for a file of this name in the folder of each extension. */
function isManifestOf(path: HostPath, file: string, at: HostSurroundings): boolean {
  return (
    path.isPattern === true && readPattern(path, at).areFolders && basename(path.file) === basename(file)
  );
}

function foldersAbove(file: string): readonly string[] {
  const { root } = parse(file);
  const folders: string[] = [];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === root) return folders;
  }
}
