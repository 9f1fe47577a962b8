import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { DefinedIn } from "@jackfield/mcp-core";
import { fieldName, type JsonPath } from "../read/json-value.ts";
import type { VariableDialect } from "../resolve/variables.ts";

/** The writer of a part of an entry, to which its paths are relative. It is plain data, so every copy of the definition keeps it. */
export type PartPlace = Pick<DefinedIn, "scope" | "file" | "realFile" | "root">;

/** The place of the file that wrote a field. The path has Jackfield's own field names. */
export function placeOfPart(definedIn: DefinedIn, path: JsonPath): PartPlace {
  return definedIn.parts?.[fieldName(path)] ?? definedIn;
}

/** The directory that an entry's relative paths are relative to; `undefined` for one that was written in code. */
export function baseDirectory({ root, realFile, file }: PartPlace): string | undefined {
  if (root !== undefined) return root;
  const written = realFile ?? file;
  return written === undefined ? undefined : dirname(written);
}

/** The same by the host's rule: some hosts take the folder of the file as it is named, without following links. */
function pathBase(place: PartPlace, { relativeTo }: Pick<VariableDialect, "relativeTo">): string | undefined {
  const { file } = place;
  return relativeTo === "file" && file !== undefined ? dirname(file) : baseDirectory(place);
}

/** The directory that an entry, or a part of one, may not leave, if it belongs to a project (threat T24). */
export function projectRoot(place: PartPlace): string | undefined {
  return place.scope === "project" ? baseDirectory(place) : undefined;
}

/** What a path is relative to, and what it may not leave. */
export interface Bounds {
  readonly base: string | undefined;
  readonly root: string | undefined;
}

/** The bounds of a path in a field: those of the file that wrote it. */
export function boundsOf(
  definedIn: DefinedIn,
  field: "command" | "cwd" | "envFile",
  variables: Pick<VariableDialect, "relativeTo">,
): Bounds {
  const part = placeOfPart(definedIn, [field]);
  return { base: pathBase(part, variables), root: projectRoot(part) };
}

/** Whether a path is a directory or lies below it. Both are absolute; symbolic links are not looked at. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Whether a command is a path that was written for this directory and leads out of it. A bare name, and any other absolute path,
 * name programs of the system.
 *
 * @param base - the directory that the command is relative to, if that is another
 */
export function climbsOut(command: string, directory: string, base = directory): boolean {
  const isPath = command.includes("/") || command.includes(sep);
  const isWrittenForIt = isPath && (!isAbsolute(command) || command.startsWith(directory + sep));
  return isWrittenForIt && !isInside(resolve(base, command), directory);
}

/** The end of a message about such a path; the field comes first. */
export const BOUNDARY_FAULT =
  "leads out of the project's directory, which a project's entry may not do. Name a path inside it";
