import { enableCompileCache } from "node:module";
import { dirname } from "node:path";
import { fileSystem, isSomebodyElses, PrivateFolder } from "@jackfield/mcp-core/node";
import { ownStateDirectory } from "../state-directory.ts";

/**
 * Makes Node cache the compiled code of modules that are loaded from now on, in `compiled` beside the approvals: compiling takes an eighth
 * of a command's time. Code that others could have put there is not run: a folder that is not this user's alone is left alone, and so is
 * Node's shared default. If nothing can be cached, there is no warning; `NODE_DISABLE_COMPILE_CACHE=1` switches the cache off, and
 * `NODE_COMPILE_CACHE` names another folder.
 */
export function keepCompiledModules(): void {
  const folder = ownStateDirectory("compiled");
  if (folder === undefined || process.env.NODE_DISABLE_COMPILE_CACHE !== undefined) return;
  try {
    if (wouldBeAmongOthers(folder)) return;
    new PrivateFolder(folder).prepare();
    enableCompileCache(folder);
  } catch {
    // The home may not be writable; every command works without the cache.
  }
}

/** Whether it would be created in another user's home, as under `sudo`: its owner could not write to what root creates. */
function wouldBeAmongOthers(folder: string): boolean {
  let parent = folder;
  while (!fileSystem.existsSync(parent)) parent = dirname(parent);
  return parent !== folder && isSomebodyElses(fileSystem.statSync(parent));
}
