import { join } from "node:path";
import { cryptography, fileSystem } from "../builtin-modules.ts";

const { constants } = fileSystem;

/** Far longer than any write takes: an older draft was left by a killed process. */
const DRAFT_LIFETIME_MS = 60_000;
const DRAFT_NAME = /^\.[\da-f-]{36}$/;

/** Writes the whole text to a draft in the directory, lets `place` put it where it belongs, and removes the draft. */
export async function placeDraft<T>(
  directory: string,
  text: string,
  place: (draft: string) => Promise<T>,
): Promise<T> {
  const { open, rm } = fileSystem.promises;
  await removeOldDrafts(directory);
  const draft = join(directory, `.${cryptography().randomUUID()}`);
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    return await place(draft);
  } finally {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
  }
}

/**
 * Puts a draft in place, in one step, unless the file exists.
 *
 * @returns whether the draft was put there
 */
export async function placeIfMissing(draft: string, file: string): Promise<boolean> {
  const { copyFile, link } = fileSystem.promises;
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (isThere(error)) return false;
  }
  // Some file systems have no links. A reader may then see half a value, which it rejects as damaged.
  try {
    await copyFile(draft, file, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (isThere(error)) return false;
    throw error;
  }
}

function isThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EEXIST";
}

/** Drafts that cannot be removed are left to the next write. */
async function removeOldDrafts(directory: string): Promise<void> {
  const { lstat, readdir, rm } = fileSystem.promises;
  const names = await readdir(directory).catch(() => []);
  const removed = names
    .filter((name) => DRAFT_NAME.test(name))
    .map(async (name) => {
      const draft = join(directory, name);
      const { mtimeMs } = await lstat(draft);
      if (Date.now() - mtimeMs > DRAFT_LIFETIME_MS) await rm(draft, { force: true });
    });
  await Promise.allSettled(removed);
}
