import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { McpError } from "@jackfield/mcp-core";
import { isSystemError } from "./system-error.ts";

const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_ANYTHING = 0o077;

/** Far more than any credential needs. */
const LARGEST_FILE_BYTES = 1024 * 1024;

/** How many unusable files are kept for inspection; after that the last one is replaced. */
const KEPT_ASIDE = 9;
const NEW_DRAFT = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** Windows has neither flag and no modes; there the folder is private because it is in the user's profile. */
const READ_NO_LINK = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What was found at a path: its text, or why it cannot be used. */
export type FoundFile =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: string; readonly wasReadable: boolean }
  | { readonly kind: "unusable"; readonly why: string };

/**
 * The folder of the credential files, which only its owner may enter. All methods are synchronous, so within one process they do not
 * interleave; across processes, the caller holds a lock for every change. System errors are thrown unchanged.
 */
export interface VaultDirectory {
  readonly folder: string;
  /**
   * Creates the folder if it is missing.
   *
   * @throws McpError `MCP_STORAGE_FAILED` if it is a link, not a folder, owned by another user, or open to others
   */
  prepare(): void;
  /** Whether the folder exists. Throws like `prepare`. */
  exists(): boolean;
  pathOf(name: string): string;
  /** The names of all files with this ending. */
  names(ending: string): readonly string[];
  /** Reads a file. If others may read it, that right is removed. A file that others may have written, or a link, is unusable. */
  read(name: string): FoundFile;
  /** Replaces a file atomically: a reader sees the old text or the new one, also after a crash. */
  replace(name: string, text: string): void;
  remove(name: string): void;
  /** Removes a file, its drafts and its set-aside copies; returns whether there was anything. */
  removeAll(name: string): boolean;
  /** Moves a file to `<name>.unusable-<n>`, readable by its owner only, and returns that path. */
  setAside(name: string): string;
}

export function openVaultDirectory(directory: string): VaultDirectory {
  const folder = resolve(directory);
  const pathOf = (name: string) => join(folder, name);
  const names = (ending: string) => readdirSync(folder).filter((name) => name.endsWith(ending));
  const exists = () => {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found) requirePrivate(folder);
    return found !== undefined;
  };
  return {
    folder,
    prepare() {
      if (!exists()) mkdirSync(folder, { recursive: true, mode: 0o700 });
      requirePrivate(folder);
    },
    exists,
    pathOf,
    names,
    read: (name) => readPrivateFile(pathOf(name)),
    replace(name, text) {
      // Only the lock's holder writes, so any other draft is the remains of a crash.
      for (const left of names(".draft")) rmSync(pathOf(left), { force: true });
      const draft = pathOf(`${name}.${randomBytes(4).toString("hex")}.draft`);
      writeWholly(draft, text);
      renameSync(draft, pathOf(name));
    },
    remove: (name) => rmSync(pathOf(name), { force: true }),
    removeAll(name) {
      const found = readdirSync(folder).filter((each) => each === name || each.startsWith(`${name}.`));
      for (const each of found) rmSync(pathOf(each), { recursive: true, force: true });
      return found.length > 0;
    },
    setAside(name) {
      const taken = (number: number) =>
        lstatSync(pathOf(`${name}.unusable-${number}`), { throwIfNoEntry: false });
      let number = 1;
      while (number < KEPT_ASIDE && taken(number)) number += 1;
      const aside = pathOf(`${name}.unusable-${number}`);
      rmSync(aside, { recursive: true, force: true });
      renameSync(pathOf(name), aside);
      if (lstatSync(aside).isFile()) chmodSync(aside, 0o600);
      return aside;
    },
  };
}

/** Flushes the file to disk before it gets its name: a rotated token that is lost cannot be obtained again. */
function writeWholly(path: string, text: string): void {
  const file = openSync(path, NEW_DRAFT, 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function readPrivateFile(path: string): FoundFile {
  let file: number;
  try {
    file = openSync(path, READ_NO_LINK);
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return { kind: "none" };
    if (isSystemError(error, "ELOOP")) return { kind: "unusable", why: "it is a link" };
    if (isSystemError(error, "EACCES")) return { kind: "unusable", why: "it cannot be read" };
    if (isSystemError(error, "ENXIO")) return { kind: "unusable", why: "it is not a file" };
    throw error; // possibly temporary, such as too many open files
  }
  try {
    return readOpened(file);
  } finally {
    closeSync(file);
  }
}

function readOpened(file: number): FoundFile {
  const found = fstatSync(file);
  if (!found.isFile()) return { kind: "unusable", why: "it is not a file" };
  if (found.size > LARGEST_FILE_BYTES) return { kind: "unusable", why: "it is too large" };
  if (isSomebodyElses(found)) return { kind: "unusable", why: "it belongs to another user" };
  if (hasModes() && found.mode & OTHERS_MAY_WRITE)
    return { kind: "unusable", why: "other users may write to it" };
  const wasReadable = hasModes() && (found.mode & OTHERS_MAY_ANYTHING) !== 0;
  if (wasReadable) fchmodSync(file, 0o600);
  return { kind: "text", text: readFileSync(file, "utf8"), wasReadable };
}

function requirePrivate(folder: string): void {
  const found = lstatSync(folder);
  const refuse = (why: string) => {
    throw new McpError("MCP_STORAGE_FAILED", `Credentials are not stored in ${folder}: ${why}.`);
  };
  if (found.isSymbolicLink()) refuse("it is a link, not a folder; name the folder itself");
  if (!found.isDirectory()) refuse("it is not a folder; remove it, or name another folder");
  if (isSomebodyElses(found)) refuse("it belongs to another user; name another folder");
  if (hasModes() && found.mode & OTHERS_MAY_ANYTHING)
    refuse("other users may access it; remove their access (chmod 700)");
}

function isSomebodyElses(found: Stats): boolean {
  const user = process.getuid?.();
  return user !== undefined && found.uid !== user;
}

function hasModes(): boolean {
  return process.getuid !== undefined;
}
