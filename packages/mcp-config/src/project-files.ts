import { projectAt } from "./discovery/project-top.ts";
import type { HostSurroundings } from "./hosts/host-dialect.ts";
import { HOST_DIALECTS } from "./hosts/host-dialects.ts";
import { ownHome } from "./own-home.ts";

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
export function projectFiles(
  options: Partial<Pick<HostSurroundings, "cwd" | "home" | "env" | "platform">> = {},
): readonly ProjectFile[] {
  const { cwd = ".", platform = process.platform } = options;
  const at: HostSurroundings = {
    ...projectAt(cwd, platform),
    home: options.home ?? ownHome(),
    env: options.env ?? process.env,
    platform,
  };
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
