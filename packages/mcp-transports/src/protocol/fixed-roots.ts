import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { HostHandlers, Root } from "@jackfield/mcp-core";

/**
 * A `roots` handler for folders or files that do not change while the program runs. Relative paths are resolved once, so later changes of
 * the working directory have no effect.
 */
export function fixedRoots(paths: readonly string[]): NonNullable<HostHandlers["roots"]> {
  const roots: readonly Root[] = paths.map((path) => {
    const absolute = resolve(path);
    return { uri: pathToFileURL(absolute).href, name: basename(absolute) };
  });
  return async () => roots;
}
