import type { HostPath, HostSurroundings } from "../hosts/host-dialect.ts";
import { pathRules } from "../hosts/host-paths.ts";

/** A path in which one segment stands for many names. */
export interface PathPattern {
  /** The folder with the names. */
  readonly folder: string;
  matches(name: string): boolean;
  /** The file of one of the names. */
  fileOf(name: string): string;
  /** Whether the names are those of folders that contain the file. */
  readonly areFolders: boolean;
}

export function readPattern(
  { file, endings, matchesHidden = true }: HostPath,
  at: Pick<HostSurroundings, "platform">,
): PathPattern {
  const { sep, join } = pathRules(at);
  const segments = file.split(sep);
  const index = segments.findIndex((segment) => segment.includes("*"));
  const [beginning = "", end = ""] = segments[index]?.split("*") ?? [];
  const folder = segments.slice(0, index).join(sep);
  const rest = segments.slice(index + 1);
  return {
    folder,
    matches: (name) =>
      name.startsWith(beginning) &&
      (matchesHidden || !name.startsWith(".")) &&
      (endings ?? [end]).some((ending) => name.endsWith(ending)),
    fileOf: (name) => join(folder, name, ...rest),
    areFolders: rest.length > 0,
  };
}
