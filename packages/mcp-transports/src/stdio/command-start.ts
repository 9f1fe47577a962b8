import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { ChannelFault } from "../channel-fault.ts";
import { type CommandLaunch, planLaunch } from "./command-launch.ts";
import { findCommand, projectsAmong, withoutRelativeEntries } from "./command-lookup.ts";

const { accessSync, constants, realpathSync, statSync } = fileSystem;

/**
 * Looks up a server's command on this machine and decides how it is started. The `PATH` of the child's own environment
 * counts, and the host's only if the child has none. In either, entries inside the server's and the host's working
 * directory, or inside the repositories around them, are skipped.
 */
export function prepareStart({ command, args, env, cwd }: ResolvedStdioServer): CommandLaunch {
  const { platform } = process;
  const variable = (name: string) => findVariable(env, name) ?? findVariable(process.env, name);
  const directory = resolve(cwd ?? "");
  const opened = [directory, process.cwd()];
  const finding = findCommand(command, {
    platform,
    path: variable("PATH") ?? "",
    pathExt: variable("PATHEXT"),
    cwd: directory,
    projects: projectsAmong(
      opened.flatMap((folder) => [folder, repositoryAround(folder) ?? folder]),
      findHome(),
      platform,
    ),
    isExecutable,
    realPath,
  });
  if (finding.file === undefined) {
    throw new ChannelFault({ kind: "command-missing", passedOver: finding.passedOver });
  }
  const systemRoot = findVariable(process.env, "SystemRoot") ?? "C:\\Windows";
  const launch = planLaunch(finding.file, args, { platform, systemRoot });
  if ("fault" in launch) throw new ChannelFault({ kind: "launch-refused", reason: launch.fault });
  return { ...launch, env: { ...fixedPaths(env, platform), ...launch.env } };
}

function fixedPaths(env: ResolvedStdioServer["env"], platform: NodeJS.Platform): CommandLaunch["env"] {
  const paths = Object.entries(env).filter(([name]) => isNamed(name, "PATH"));
  return Object.fromEntries(paths.map(([name, path]) => [name, withoutRelativeEntries(path, platform)]));
}

function findVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  if (process.platform !== "win32") return env[name]; // Listing the host's own environment reads all of it.
  const spelling = Object.keys(env).find((found) => isNamed(found, name));
  return spelling === undefined ? undefined : env[spelling];
}

/** Names of variables are case-insensitive on Windows. */
function isNamed(found: string, name: string): boolean {
  return process.platform === "win32" ? found.toUpperCase() === name.toUpperCase() : found === name;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, process.platform === "win32" ? constants.F_OK : constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A user who is not in the system's list of users has no home; the root directory then stands for it. */
function findHome(): string {
  try {
    return homedir();
  } catch {
    return resolve("/");
  }
}

/**
 * The repository that contains a directory, if any. A host may work deep inside a project, whose programs may be anywhere in
 * it.
 */
export function repositoryAround(directory: string): string | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (fileSystem.existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
