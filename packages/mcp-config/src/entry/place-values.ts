import { basename, join, sep } from "node:path";
import type { DefinedIn } from "@jackfield/mcp-core";
import { projectRoot } from "../find/project-boundary.ts";
import { ownHome } from "../find/surroundings.ts";
import { pluginDataFolder } from "../hosts/claude-installed-plugins.ts";
import { ownMember } from "../read/json-value.ts";
import type { Environment } from "../resolve/safe-environment.ts";

/** The user's home as the environment has it, else as the system has it. */
export function homeOf(environment: Environment, platform: NodeJS.Platform): string {
  const named = ownMember(environment, platform === "win32" ? "USERPROFILE" : "HOME");
  return named || ownHome();
}

/**
 * Looks up the places that hosts know by name. An extension's `root` is where it is installed, a project's is the folder that is
 * open; for an entry of neither, the folder in which the host runs is the workspace.
 *
 * @param cwd - the folder in which the host runs
 */
export function placeValues(
  definedIn: DefinedIn,
  cwd: string,
  { environment, platform }: { readonly environment: Environment; readonly platform: NodeJS.Platform },
) {
  const { scope, root } = definedIn;
  const workspace = scope === "project" || scope === "local" ? (root ?? cwd) : cwd;
  const installed = scope === "extension" ? root : undefined;
  const home = homeOf(environment, platform);
  const list = (): { readonly [name: string]: string | undefined } => ({
    "/": sep,
    pathSeparator: sep,
    userHome: home,
    HOME: home,
    DESKTOP: join(home, "Desktop"),
    DOCUMENTS: join(home, "Documents"),
    DOWNLOADS: join(home, "Downloads"),
    workspaceFolder: workspace,
    workspacePath: workspace,
    workspaceFolderBasename: basename(workspace),
    __dirname: installed,
    extensionPath: installed,
    CLAUDE_PROJECT_DIR: projectRoot(definedIn) ?? workspace,
    CLAUDE_PLUGIN_ROOT: installed,
    PLUGIN_ROOT: installed,
  });
  let values: ReturnType<typeof list> | undefined;
  return (name: string) => {
    if (name === "CLAUDE_PLUGIN_DATA") return installed && pluginDataFolder(installed, environment, home);
    values ??= list(); // Few entries name a place.
    return ownMember(values, name);
  };
}
