import { delimiter, isAbsolute, join, parse, resolve } from "node:path";
import type { DefinedIn } from "@jackfield/mcp-core";
import { fileSystem, findCommand, PrivateFolder } from "@jackfield/mcp-core/node";
import { isInside } from "../find/project-boundary.ts";
import type { TrustFolder } from "../find/server-admission.ts";
import { ownHome, projectAt } from "../find/surroundings.ts";
import { takesFromFolder } from "./launchers.ts";
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
  /** Values of `PATH` without it, as far as they were asked for: each entry takes a look at the file system. */
  readonly pathsOutside: Map<string, string>;
}

/** What a server that starts gets of this process. */
export interface Surroundings {
  /** From where it must not take anything; `undefined` if it may. */
  readonly folder: DistrustedFolder | undefined;
  /** What it may inherit. */
  readonly environment: Environment;
}

/** The surroundings of an entry that no project brought. A project's entry runs in its project. */
export async function lookAround(policy: FolderPolicy, environment: Environment): Promise<Surroundings> {
  const folder = await distrustedFolder(policy);
  return { folder, environment: folder ? environmentOutside(environment, folder) : environment };
}

/** The folder that this process works in; `undefined` if it is trusted or gone. */
async function distrustedFolder({ trust }: FolderPolicy): Promise<DistrustedFolder | undefined> {
  let path: string;
  try {
    path = realPath(projectAt(".", process.platform).projectTop);
  } catch {
    return undefined; // The working directory was removed, so nothing can be taken from it.
  }
  if (trust !== undefined && (await isTrusted(trust, path))) return undefined;
  const home = realPath(ownHome());
  const isRepository = fileSystem.existsSync(join(path, ".git"));
  const holdsHome = home === path || (isInside(home, path) && !isRepository);
  return { path, holdsHome, pathsOutside: new Map() };
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
  /** What it gets, `PATH` without the folder included. */
  readonly env: Environment;
}

/**
 * Where a program starts whose entry names no folder: `undefined` for the working directory of this process, unless it would take
 * code, packages or settings from there. An entry whose command is itself in the folder is meant for that folder.
 */
export function startFolder(
  program: Program,
  folder: DistrustedFolder | undefined,
  { launchFolder }: FolderPolicy,
): string | undefined {
  if (folder === undefined) return undefined;
  const { command } = program;
  if (isAbsolute(command) && !folder.holdsHome && isInside(resolve(command), folder.path)) return undefined;
  return isTaker(program) ? neutralFolder(folder, launchFolder) : undefined;
}

function isTaker({ command, args, env, definedIn: { scope } }: Program): boolean {
  const isForFolder = scope === "explicit" || scope === "local";
  return takesFromFolder({ command, args, isForFolder }, (program) => programFile(program, env));
}

/** The project for which the user keeps a server, unless the program would take code, packages or settings from there. */
export function folderOfLocal(program: Program): string | undefined {
  const { scope, root } = program.definedIn;
  return scope === "local" && root !== undefined && !isTaker(program) ? root : undefined;
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

/**
 * A `PATH` without the entries in the folder, which an `npm run` there has put first: a program looks there for its interpreter, and
 * for whatever it starts itself.
 */
function pathOutside(path: string, { path: folder, holdsHome, pathsOutside }: DistrustedFolder): string {
  if (holdsHome) return path;
  const isKept = (entry: string) =>
    !isInside(resolve(entry), folder) && !isInside(realPath(resolve(entry)), folder);
  const outside = pathsOutside.get(path) ?? path.split(delimiter).filter(isKept).join(delimiter);
  pathsOutside.set(path, outside);
  return outside;
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
function environmentOutside(environment: Environment, folder: DistrustedFolder): Environment {
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

/** What the file of a program tells of what starts with it. */
export interface ProgramFile {
  /** Absolute, as it was found. */
  readonly path: string;
  /** The file behind it, if it is a symbolic link. */
  readonly target: string | undefined;
  /** The command line of its interpreter, from its first line. */
  readonly interpreter: readonly string[];
  /** Its text if it is a script, or the beginning of it. Otherwise empty. */
  readonly text: string;
}

/** So much of a script is read; one that starts a server is shorter. */
const LONGEST_SCRIPT_BYTES = 64 * 1024;

const SCRIPT_OF_WINDOWS = /\.(?:cmd|bat|ps1)$/i;

/**
 * Looks at the file that a command stands for.
 *
 * @param environment - that of the child, whose `PATH` counts
 * @returns `undefined` if there is none, or it cannot be read
 */
function programFile(command: string, environment: Environment): ProgramFile | undefined {
  const variable = (name: string) =>
    environment[name] ?? Object.entries(environment).find(([other]) => other.toUpperCase() === name)?.[1];
  const { file: path } = findCommand(command, {
    platform: process.platform,
    path: variable("PATH") ?? "",
    pathExt: variable("PATHEXT"),
    cwd: process.cwd(),
    projects: [],
  });
  if (path === undefined) return undefined;
  try {
    const target = fileSystem.realpathSync(path);
    const text = scriptText(target);
    const [, line = ""] = /^#!\s*(.*)/.exec(text) ?? [];
    const interpreter = line.split(/\s+/).filter((word) => word !== "");
    return { path, target: target === path ? undefined : target, interpreter, text };
  } catch {
    return undefined;
  }
}

/** The text of a script, empty for any other file. A file that is no regular one, such as a pipe, is not opened. */
function scriptText(path: string): string {
  if (!fileSystem.statSync(path).isFile()) return "";
  const file = fileSystem.openSync(path, "r");
  try {
    const start = Buffer.alloc(2);
    fileSystem.readSync(file, start, 0, 2, 0);
    if (start.toString("latin1") !== "#!" && !SCRIPT_OF_WINDOWS.test(path)) return "";
    const bytes = Buffer.alloc(LONGEST_SCRIPT_BYTES);
    return bytes.toString("utf8", 0, fileSystem.readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    fileSystem.closeSync(file);
  }
}
