import { isAbsolute, resolve, sep } from "node:path";

/**
 * A path made absolute from the directory it was written for (threat: a relative path that means another file wherever
 * the host happens to run). A path that begins with a variable may turn out absolute, so it is anchored after expansion.
 */
export function anchorPath(path: string, directory: string): string {
  if (path.startsWith("${") || isAbsolute(path)) return path;
  // Normalising would also rewrite what stands inside a reference's default.
  return path.includes("${") ? `${directory}${sep}${path}` : resolve(directory, path);
}

/** A command made absolute if it is a relative path; a bare name such as `npx` stays, to be looked up in `PATH`. */
export function anchorCommand(command: string, directory: string): string {
  const isPath = command.includes("/") || command.includes(sep);
  return isPath ? anchorPath(command, directory) : command;
}
