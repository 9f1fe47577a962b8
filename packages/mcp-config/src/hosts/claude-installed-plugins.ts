import { isAbsolute, join } from "node:path";
import { isRecord } from "@jackfield/mcp-core";
import { readTextFile, realFileOf } from "../find/file.ts";
import { ownMember } from "../read/json-value.ts";
import type { Environment } from "../resolve/safe-environment.ts";
import type { HostSurroundings } from "./host-dialect.ts";
import { folderKey, projectFolders } from "./host-paths.ts";

/** A real list of plugins has some kilobytes. */
const LARGEST_LIST_BYTES = 16 * 1024 * 1024;

/** The list of what is installed, below Claude Code's folder of plugins. */
export const INSTALLED_PLUGINS = "installed_plugins.json";

/** One installation of a plugin, `name@marketplace`. */
export interface InstalledPlugin {
  readonly plugin: string;
  readonly installPath: string;
  /** The project that it was installed for; missing if it was installed for all projects. */
  readonly projectPath: unknown;
}

/**
 * The plugins of a project: for each plugin the installation for the nearest of the project's folders, else the one for all projects.
 * Installations for other projects are skipped. Links in the path of a project make no difference.
 */
export function installedPlugins(list: unknown, at: HostSurroundings): readonly InstalledPlugin[] {
  const keyOf = (folder: string) => folderKey(realFileOf(folder) ?? folder, at);
  let keys: readonly string[] | undefined;
  const folders = projectFolders(at);
  const distance = ({ projectPath }: InstalledPlugin): number => {
    if (projectPath === undefined || projectPath === null) return folders.length;
    if (typeof projectPath !== "string") return Number.POSITIVE_INFINITY;
    keys ??= folders.map(keyOf);
    const found = keys.indexOf(keyOf(projectPath));
    return found === -1 ? Number.POSITIVE_INFINITY : found;
  };
  const chosen = new Map<string, InstalledPlugin>();
  for (const installed of installations(list)) {
    const { plugin } = installed;
    const best = chosen.get(plugin);
    const bound = best ? distance(best) : Number.POSITIVE_INFINITY;
    if (distance(installed) < bound) chosen.set(plugin, installed);
  }
  return [...chosen.values()];
}

/** A plugin has one record, or a list with one for each project that it is installed for. */
function installations(list: unknown): readonly InstalledPlugin[] {
  const plugins = isRecord(list) && isRecord(list.plugins) ? list.plugins : {};
  return Object.entries(plugins).flatMap(([plugin, installed]) =>
    ([installed].flat() as readonly unknown[]).flatMap((record): InstalledPlugin[] => {
      if (!isRecord(record) || typeof record.installPath !== "string") return [];
      return [{ plugin, installPath: record.installPath, projectPath: record.projectPath }];
    }),
  );
}

/**
 * The folder in which Claude Code lets an installed plugin keep data across versions: below `data`, beside the list of plugins.
 * `undefined` for a plugin that is not installed, such as one under development.
 */
export function pluginDataFolder(root: string, environment: Environment, home: string): string | undefined {
  const folder =
    /^(.*[\\/]plugins)[\\/]cache[\\/]/.exec(root)?.[1] ?? join(configFolder(environment, home), "plugins");
  const installed = installations(readList(join(folder, INSTALLED_PLUGINS))).find(
    ({ installPath }) => installPath === root,
  );
  return installed && join(folder, "data", installed.plugin.replace(/[^\w-]/g, "-"));
}

function configFolder(environment: Environment, home: string): string {
  const folder = ownMember(environment, "CLAUDE_CONFIG_DIR");
  return folder !== undefined && isAbsolute(folder) ? folder : join(home, ".claude");
}

function readList(file: string): unknown {
  const found = readTextFile(file, LARGEST_LIST_BYTES);
  try {
    return "text" in found ? JSON.parse(found.text) : undefined;
  } catch {
    return undefined;
  }
}
