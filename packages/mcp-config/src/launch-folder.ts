import { delimiter, isAbsolute, join, parse, resolve } from "node:path";
import type { DefinedIn } from "@jackfield/mcp-core";
import { fileSystem, PrivateFolder } from "@jackfield/mcp-core/node";
import type { TrustFolder } from "./admission/server-admission.ts";
import { projectAt } from "./discovery/project-top.ts";
import { takesFromFolder } from "./launchers.ts";
import { ownHome } from "./own-home.ts";
import { isInside } from "./project-boundary.ts";
import type { Environment } from "./safe-environment.ts";

/** What decides where a server runs that no project brought. */
export interface FolderPolicy {
  readonly launchFolder: string | undefined;
  readonly trust: TrustFolder | undefined;
}

/** A folder in which servers may work, but from which those that no project brought must not take anything. */
export interface DistrustedFolder {
  /** The root of the project that this process works in, else its working directory; without symbolic links. */
  readonly path: string;
  /**
   * Whether it is the user's home, or holds it and is no repository, as `/`: then not everything in it is a project's. A repository
   * that holds the home is one, as on machines that build it.
   */
  readonly holdsHome: boolean;
}

/**
 * The folder that this process works in, for an entry that no project brought; `undefined` for a project's entry, which runs in its
 * project, and if the folder is trusted or gone.
 */
export async function distrustedFolder(
  { scope }: DefinedIn,
  { trust }: FolderPolicy,
): Promise<DistrustedFolder | undefined> {
  if (scope === "project") return undefined;
  let path: string;
  try {
    path = realPath(projectAt(".", process.platform).projectTop);
  } catch {
    return undefined; // The working directory was removed, so nothing can be taken from it.
  }
  if (trust !== undefined && (await isTrusted(trust, path))) return undefined;
  const home = realPath(ownHome());
  const isRepository = fileSystem.existsSync(join(path, ".git"));
  return { path, holdsHome: home === path || (isInside(home, path) && !isRepository) };
}

/** Whatever goes wrong while asking, the answer is no. */
async function isTrusted(trust: TrustFolder, folder: string): Promise<boolean> {
  try {
    return (await trust(folder)) === true;
  } catch {
    return false;
  }
}

/** A program that is about to start, with all values filled in. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly definedIn: DefinedIn;
}

/**
 * Where a program starts whose entry names no folder: `undefined` for the working directory of this process, unless it would take
 * code, packages or settings from there. An entry whose command is itself in the folder is meant for that folder.
 */
export function startFolder(
  { command, args, definedIn: { scope } }: Program,
  folder: DistrustedFolder | undefined,
  { launchFolder }: FolderPolicy,
): string | undefined {
  if (folder === undefined) return undefined;
  if (isAbsolute(command) && !folder.holdsHome && isInside(resolve(command), folder.path)) return undefined;
  const isForFolder = scope === "explicit" || scope === "local";
  return takesFromFolder({ command, args, isForFolder }) ? neutralFolder(folder, launchFolder) : undefined;
}

/**
 * A folder from which nothing of the distrusted one is found, also not by looking in the folders above: the given one, else the home,
 * else the root, as in a container without a home.
 */
export function neutralFolder(
  { path, holdsHome }: DistrustedFolder,
  launchFolder: string | undefined,
): string {
  for (const make of [() => made(launchFolder), () => fileSystem.realpathSync.native(ownHome())]) {
    try {
      const folder = make();
      if (folder !== undefined && (holdsHome || !isInside(folder, path))) return folder;
    } catch {
      // It cannot be made or read, so the next one is taken.
    }
  }
  return parse(path).root;
}

function made(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  new PrivateFolder(folder).prepare();
  return fileSystem.realpathSync.native(folder);
}

/** The last `PATH` without the entries of a folder: many servers start at once with the same one. */
let lastPath: { readonly path: string; readonly folder: string; readonly kept: string } | undefined;

/**
 * A `PATH` without the entries in the folder, which an `npm run` there has put first: a program looks there for its interpreter, and
 * for whatever it starts itself.
 */
function pathOutside(path: string, { path: folder, holdsHome }: DistrustedFolder): string {
  if (holdsHome) return path;
  if (lastPath?.path !== path || lastPath.folder !== folder) {
    const isKept = (entry: string) =>
      !isInside(resolve(entry), folder) && !isInside(realPath(resolve(entry)), folder);
    lastPath = { path, folder, kept: path.split(delimiter).filter(isKept).join(delimiter) };
  }
  return lastPath.kept;
}

/** The path without symbolic links; one that does not exist stays as it is. */
function realPath(path: string): string {
  try {
    return fileSystem.realpathSync.native(path);
  } catch {
    return path;
  }
}

/** What the script runners of npm, pnpm and yarn set, from the settings of the folder in which the script was started. */
const SCRIPT_VARIABLE =
  /^(?:npm_.*|pnpm_.*|yarn_.*|INIT_CWD|PROJECT_CWD|BERRY_BIN_FOLDER|PNPM_SCRIPT_SRC_DIR|NODE_PATH|NODE_OPTIONS|NODE)$/i;

/** An environment without these variables, if this process was started by such a script, and without the folder in `PATH`. */
export function environmentOutside(environment: Environment, folder: DistrustedFolder): Environment {
  const isScript = environment.npm_lifecycle_event !== undefined || environment.INIT_CWD !== undefined;
  const kept = Object.entries(environment).filter(([name]) => !isScript || !SCRIPT_VARIABLE.test(name));
  return withPathOutside(Object.fromEntries(kept), folder);
}

/** An environment without the folder in `PATH`, however the system spells that. The given one is changed. */
export function withPathOutside<E extends { [name: string]: string | undefined }>(
  environment: E,
  folder: DistrustedFolder,
): E {
  for (const name of Object.keys(environment)) {
    const path = environment[name];
    if (name.toUpperCase() === "PATH" && path !== undefined)
      Object.assign(environment, { [name]: pathOutside(path, folder) });
  }
  return environment;
}
