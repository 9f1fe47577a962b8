import { isAbsolute, join } from "node:path";
import { isMap, ownMember } from "../documents/json-value.ts";
import type { Environment } from "../safe-environment.ts";
import { readTextFile } from "../text-file.ts";

/** A list of plugins has some kilobytes. */
const LARGEST_LIST_BYTES = 16 * 1024 * 1024;

/** The list of what is installed, below Claude Code's folder of plugins. */
export const INSTALLED_PLUGINS = "installed_plugins.json";

/** The plugins of that list, `name@marketplace`, by the folder in which each is installed. */
export function pluginsByFolder(list: unknown): ReadonlyMap<string, string> {
  const plugins = isMap(list) && isMap(list.plugins) ? list.plugins : {};
  const found = new Map<string, string>();
  for (const [plugin, installed] of Object.entries(plugins)) {
    for (const record of [installed].flat() as readonly unknown[]) {
      if (isMap(record) && typeof record.installPath === "string") found.set(record.installPath, plugin);
    }
  }
  return found;
}

/**
 * Where Claude Code lets an installed plugin keep its data, over all its versions: in the folder `data` beside the list that has it.
 * `undefined` for what is not installed, such as a plugin that is being written.
 */
export function pluginDataFolder(root: string, environment: Environment, home: string): string | undefined {
  const folder =
    /^(.*[\\/]plugins)[\\/]cache[\\/]/.exec(root)?.[1] ?? join(configFolder(environment, home), "plugins");
  const plugin = pluginsByFolder(readList(join(folder, INSTALLED_PLUGINS))).get(root);
  return plugin === undefined ? undefined : join(folder, "data", plugin.replace(/[^\w-]/g, "-"));
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
