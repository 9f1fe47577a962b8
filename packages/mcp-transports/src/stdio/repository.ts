import { dirname, join } from "node:path";
import { fileSystem } from "@jackfield/mcp-core/node";

/**
 * The repository that contains a directory, if any. A host may work deep inside a project, whose programs may be anywhere in
 * it.
 */
export function repositoryAround(directory: string): string | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (fileSystem.existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
