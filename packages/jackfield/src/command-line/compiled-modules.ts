import type { Stats } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname } from "node:path";
import { fileSystem } from "../builtin-modules.ts";
import { ownStateDirectory } from "../state-directory.ts";

const OTHERS_MAY_WRITE = 0o022;

/**
 * Makes Node cache the compiled code of modules that are loaded from now on, in `compiled` beside the approvals: compiling takes an eighth
 * of a command's time. Code that others could have put there is not run: a folder that they own or may write to is left alone, and so is
 * Node's shared default. If nothing can be cached, there is no warning; `NODE_DISABLE_COMPILE_CACHE=1` switches the cache off, and
 * `NODE_COMPILE_CACHE` names another folder.
 */
export function keepCompiledModules(): void {
  const folder = ownStateDirectory("compiled");
  if (folder === undefined || process.env.NODE_DISABLE_COMPILE_CACHE !== undefined) return;
  try {
    makeAmongOwn(folder);
    if (isOwn(fileSystem.lstatSync(folder))) enableCompileCache(folder);
  } catch {
    // The home may not be writable; every command works without the cache.
  }
}

/** Creates the folder, but not in another user's home, as under `sudo`: its owner could not write to what root creates. */
function makeAmongOwn(folder: string): void {
  let parent = folder;
  while (!fileSystem.existsSync(parent)) parent = dirname(parent);
  if (parent === folder || fileSystem.statSync(parent).uid !== (process.getuid?.() ?? 0)) return;
  fileSystem.mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function isOwn(stats: Stats): boolean {
  const user = process.getuid?.();
  // Windows has no such modes: there the folder is private because it lies in the user's profile.
  const isPrivate = user === undefined || (stats.uid === user && (stats.mode & OTHERS_MAY_WRITE) === 0);
  return stats.isDirectory() && isPrivate;
}
