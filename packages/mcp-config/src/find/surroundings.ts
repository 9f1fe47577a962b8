import { isAbsolute, type PlatformPath, resolve } from "node:path";
import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import type { HostSurroundings } from "../hosts/host-dialect.ts";
import { pathRules } from "../hosts/host-paths.ts";

/** Where a search takes place; each has a default. */
export type SurroundingsOptions = {
  readonly [K in "cwd" | "home" | "env" | "platform"]?: HostSurroundings[K] | undefined;
};

/**
 * Everything that the paths of hosts' files depend on.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a `cwd` that is no path, or is relative to a working directory that was removed
 */
export function surroundingsOf(options: SurroundingsOptions): HostSurroundings {
  const { cwd = ".", platform = process.platform } = options;
  return {
    ...projectAt(cwd, platform),
    platform,
    env: options.env ?? process.env,
    home: options.home ?? ownHome(),
  };
}

/** On another system, only a path like these is Windows's own. */
const WINDOWS_PATH = /^(?:[a-z]:[\\/]|\\\\)/i;

/**
 * The working directory as an absolute path, and the root of its project: the nearest directory upward that contains `.git`, else the
 * working directory itself. A path of Windows stays one on every system.
 *
 * @throws McpError as `absolutePath` does
 */
export function projectAt(
  cwd: string,
  platform: NodeJS.Platform,
): Pick<HostSurroundings, "cwd" | "projectTop"> {
  const rules = pathRules(platform === "win32" && WINDOWS_PATH.test(cwd) ? { platform } : process);
  const absolute = absolutePath(cwd, rules);
  return { cwd: absolute, projectTop: findProjectTop(absolute, rules) };
}

function findProjectTop(cwd: string, { dirname, join }: PlatformPath): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (fileSystem.existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

/**
 * The home of the current user. A relative path, such as an empty `HOME`, would be in whatever project is open, so the home that
 * the system knows is used instead. If the system does not know the user, as in many containers, it is the root, to which container
 * runtimes set `HOME` in this case: only an administrator can put files there.
 */
export function ownHome(): string {
  // Not imported: a caller that gives the home does not need this module.
  const { homedir, userInfo } = process.getBuiltinModule("node:os");
  return absoluteBy(homedir) ?? absoluteBy(() => userInfo().homedir) ?? resolve("/");
}

function absoluteBy(look: () => string): string | undefined {
  try {
    const home = look();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A path as it is from the working directory of this process, which is asked for only if the path is relative.
 *
 * @param rules - those of the system whose path it is; by default this one
 * @throws McpError `MCP_CONFIG_INVALID` if it is no path, or is relative and the working directory was removed
 */
export function absolutePath(path: string, rules: Pick<PlatformPath, "resolve"> = { resolve }): string {
  try {
    return rules.resolve(path);
  } catch (cause) {
    const message =
      typeof path === "string"
        ? "The working directory of this process was removed; change to a folder that exists, or name one as an absolute path."
        : `A path is a text, and this is of type ${typeof path}; correct the option.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", cause });
  }
}

/** A place in which a project may have configuration of servers. */
export interface ProjectFile {
  /** The host that reads it. */
  readonly host: string;
  /** The kind of file, as the host's dialect names it. */
  readonly kind: string;
  /** Absolute; one segment may have a `*` in it, which stands for any text. */
  readonly file: string;
  /** `none`: no servers, but rules about them. `script`: a program, which is never run. */
  readonly holds: "servers" | "none" | "script";
}

/**
 * Every place in which any host reads files of a project, whether or not a file is there: what to watch, and what to check before a
 * repository is opened.
 *
 * @param options - as those of `discoverServers`
 * @throws McpError `MCP_CONFIG_INVALID` for a `cwd` that is no path, or is relative to a working directory that was removed
 */
export async function projectFiles(options: SurroundingsOptions = {}): Promise<readonly ProjectFile[]> {
  const at = surroundingsOf(options);
  const { HOST_DIALECTS } = await import("./search.ts");
  return HOST_DIALECTS.flatMap(({ id, files }) =>
    files
      .filter(({ scope }) => scope === "project")
      .flatMap(({ kind, paths, servers, script }) =>
        paths(at).flatMap(({ file, endings = [""] }) => {
          const holds = script !== undefined ? "script" : servers === "none" ? "none" : "servers";
          return endings.map((ending) => {
            return { host: id, kind, file: file.replace("*", `*${ending}`), holds } as const;
          });
        }),
      ),
  );
}
