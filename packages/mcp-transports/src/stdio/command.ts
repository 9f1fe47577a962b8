import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import { fileSystem, findCommand, projectsAmong, withoutRelativeEntries } from "@jackfield/mcp-core/node";
import { TransportFault } from "../faults.ts";

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
  });
  if (finding.file === undefined) {
    throw new TransportFault({ kind: "command-missing", passedOver: finding.passedOver });
  }
  const systemRoot = findVariable(process.env, "SystemRoot") ?? "C:\\Windows";
  const launch = planLaunch(finding.file, args, { platform, systemRoot });
  if ("fault" in launch) throw new TransportFault({ kind: "launch-refused", reason: launch.fault });
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

/** How a file is started, without a shell that could interpret its arguments. */
export interface CommandLaunch {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows: the arguments are passed on as they are, because they are quoted already. */
  readonly isVerbatim: boolean;
  /** Changes to the child's environment; `undefined` removes a variable. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
}

/** Why a file cannot be started with these arguments. */
export type LaunchFault = "line-break" | "too-long" | "unusable-path";

/** The longest line that `cmd.exe` reads, in characters. */
const LONGEST_LINE = 8191;

/** The file system ignores trailing dots, spaces and stream names, so `x.cmd.` and `x.cmd::$DATA` are batch files too. */
const BATCH_FILE = /\.(?:bat|cmd)[. ]*(?::.*)?$/is;

/** Needs no quotes, and gets none: some batch files compare their arguments with bare words. */
const PLAIN_ARGUMENT = /^[A-Za-z0-9_.:/@+-]+$/;

/** `cmd.exe` reads this as one `%` that begins no variable: the sign, and an empty substring of the working directory. */
const LITERAL_PERCENT = "%%cd:~,%";

/**
 * Decides how a file is started. Only a batch file on Windows, such as `npx.cmd`, needs more than itself: `cmd.exe`, which
 * splits and expands the line by rules of its own (threat T19, CVE-2024-27980). Its arguments are quoted here so that they
 * survive being read twice, by `cmd.exe` and by the program behind the batch file. Line breaks and NUL cannot be quoted.
 * `cmd.exe` also looks into the working directory first unless a variable forbids it (threat T18). Every program gets that variable,
 * since it may start one by its name, as a shell or a script runner does.
 */
export function planLaunch(
  file: string,
  args: readonly string[],
  { platform, systemRoot }: { readonly platform: NodeJS.Platform; readonly systemRoot: string },
): CommandLaunch | { readonly fault: LaunchFault } {
  if (platform !== "win32") return { file, args, isVerbatim: false };
  const env = { NoDefaultCurrentDirectoryInExePath: "1" };
  if (!BATCH_FILE.test(file)) return { file, args, isVerbatim: false, env };
  if (args.some((arg) => /[\0\r\n]/.test(arg))) return { fault: "line-break" };
  if (/["\0\r\n]|\\$/.test(file)) return { fault: "unusable-path" };
  const script = `"${withoutExpansion(file)}"`;
  const line = [script, ...args.map(quoteForBatchFile)].join(" ");
  if (line.length > LONGEST_LINE) return { fault: "too-long" };
  return {
    file: `${systemRoot}\\System32\\cmd.exe`,
    // No AutoRun command, extensions on, `!` is no variable, and the outer quotes are taken away whatever is inside.
    args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`],
    isVerbatim: true,
    env,
  };
}

/**
 * A quote is doubled: programs read it as one, and `cmd.exe` counts two more, so it still takes what follows for quoted.
 * Backslashes are doubled before a quote only, as the C runtime of Windows reads them.
 */
function quoteForBatchFile(arg: string): string {
  if (PLAIN_ARGUMENT.test(arg)) return arg;
  // A run of backslashes is matched only from its beginning. Otherwise a long run would be matched again from each of them.
  const escaped = arg.replace(/(?<!\\)(\\*)"/g, '$1$1""').replace(/(?<!\\)\\+$/, "$&$&");
  return `"${withoutExpansion(escaped)}"`;
}

function withoutExpansion(text: string): string {
  return text.replaceAll("%", LITERAL_PERCENT);
}
