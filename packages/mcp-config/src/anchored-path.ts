import { isAbsolute, join, resolve, sep } from "node:path";
import { OWN_VARIABLES, references, type VariableDialect } from "./variables.ts";

/**
 * Makes a path absolute, from the directory it was written for (threat: a relative path that means another file wherever the host
 * happens to run). A path that begins with a variable or `~/` is returned as it is: the first may turn out absolute, so both are
 * anchored after expansion.
 */
export function anchorPath(
  path: string,
  directory: string,
  dialect: VariableDialect = OWN_VARIABLES,
): string {
  if (isAbsolute(path) || isBelowHome(path)) return path;
  const first = references(path, dialect, false).next();
  if (first.done) return resolve(directory, path);
  // Normalising would also rewrite text inside a reference's default.
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

/** Anchors an expanded path: fills in its `~`, and makes it absolute if it is relative. */
export function anchorFilledIn(path: string, directory: string | undefined, home: string): string {
  const expanded = expandHome(path, home);
  return directory === undefined ? expanded : anchorPath(expanded, directory);
}
