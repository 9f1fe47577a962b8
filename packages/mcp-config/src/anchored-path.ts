import { isAbsolute, join, resolve, sep } from "node:path";
import { OWN_VARIABLES, references, type VariableDialect } from "./variables.ts";

/**
 * A path made absolute from the directory it was written for (threat: a relative path that means another file wherever
 * the host happens to run). A path that begins with a variable may turn out absolute, so it is anchored after expansion;
 * one that begins with `~/` is filled in by then as well.
 */
export function anchorPath(
  path: string,
  directory: string,
  dialect: VariableDialect = OWN_VARIABLES,
): string {
  if (isAbsolute(path) || isBelowHome(path)) return path;
  const first = references(path, dialect, false).next();
  if (first.done) return resolve(directory, path);
  // Normalising would also rewrite what stands inside a reference's default.
  return first.value.from === 0 ? path : `${directory}${sep}${path}`;
}

/** A command made absolute if it is a relative path; a bare name such as `npx` stays, to be looked up in `PATH`. */
export function anchorCommand(command: string, directory: string, dialect?: VariableDialect): string {
  const isPath = command.includes("/") || command.includes(sep);
  return isPath ? anchorPath(command, directory, dialect) : command;
}

/** Whether a path is written from the user's home: `~` or `~/…`. */
export function isBelowHome(path: string): boolean {
  return path === "~" || path.startsWith("~/") || path.startsWith(`~${sep}`);
}

/** A path with its `~` filled in. */
export function expandHome(path: string, home: string): string {
  return isBelowHome(path) ? join(home, path.slice(1)) : path;
}

/** A path that turned out relative once a variable at its beginning was filled in. */
export function anchorFilledIn(path: string, directory: string | undefined, home: string): string {
  const expanded = expandHome(path, home);
  return directory === undefined ? expanded : anchorPath(expanded, directory);
}
