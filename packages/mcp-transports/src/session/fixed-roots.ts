import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { HostHandlers, Root } from "@jackfield/mcp-core";

/**
 * A `roots` handler for folders or files that do not change while the program runs. Relative paths are resolved now and never again, so a
 * server is told the same however often the working directory changes.
 */
export function fixedRoots(paths: readonly string[]): NonNullable<HostHandlers["roots"]> {
  const roots: readonly Root[] = paths.map((path) => {
    const absolute = resolve(path);
    return { uri: pathToFileURL(absolute).href, name: basename(absolute) };
  });
  return async () => roots;
}
