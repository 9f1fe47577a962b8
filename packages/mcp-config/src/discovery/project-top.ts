import { dirname, join } from "node:path";
import { fileSystem } from "../builtin-modules.ts";

const { existsSync } = fileSystem;

/** The root of the project: the nearest directory upward that contains `.git`, else the given one. */
export function findProjectTop(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
