import { dirname, parse, relative, resolve, sep } from "node:path";
import type { HostFile, HostPath, HostSurroundings } from "../hosts/host-dialect.ts";
import { readPattern } from "./path-pattern.ts";

/** Whose home it is, on this system: paths of files that are read have its form. */
export type OwnSurroundings = Pick<HostSurroundings, "env" | "home">;

/**
 * Which of a host's files one is, by where it lies; `undefined` for one that its host would not look for there. A file in the home
 * directory is the user's own, though a project's may be called the same; every folder above any other may be a project's.
 */
export function kindOfFile(
  file: string,
  files: readonly HostFile[],
  { env, home }: OwnSurroundings,
): HostFile | undefined {
  const isAt = (cwd: string) => {
    const at = { platform: process.platform, env, home, cwd, projectTop: cwd };
    return ({ paths }: HostFile) => paths(at).some((path) => isFileOf(path, file, at));
  };
  const own = files.filter(({ scope }) => scope !== "project").filter(isAt(home));
  if (own.length > 0) return mostTelling(own);
  const ofProjects = files.filter(({ scope }) => scope === "project");
  for (const folder of foldersAbove(file)) {
    const found = ofProjects.filter(isAt(folder));
    if (found.length > 0) return mostTelling(found);
  }
  return undefined;
}

/** Some files are read for several reasons: for servers of the user and of a project of his, or for lists besides. */
function mostTelling(kinds: readonly HostFile[]): HostFile | undefined {
  const ofServers = kinds.filter(({ servers }) => servers !== "none");
  return ofServers.find(({ scope }) => scope === "user") ?? ofServers[0] ?? kinds[0];
}

function isFileOf(path: HostPath, file: string, at: HostSurroundings): boolean {
  if (!path.isPattern) return resolve(path.file) === file;
  const { folder, isMeant, fileOf } = readPattern(path, at);
  const [name = ""] = relative(folder, file).split(sep);
  return isMeant(name) && fileOf(name) === file;
}

function foldersAbove(file: string): readonly string[] {
  const { root } = parse(file);
  const folders: string[] = [];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === root) return folders;
  }
}
