import type { BigIntStats, Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isMcpError, McpError, thrownText } from "../index.ts";
import { fileSystem, hasErrorCode } from "./builtin-modules.ts";

const {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} = fileSystem;

const OWNER_MAY_ALL = 0o700;
const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_ANYTHING = 0o077;
const PRIVATE_FILE = 0o600;

/** Far more than any file that a program keeps for itself here. */
const LARGEST_FILE_BYTES = 1024 * 1024;

/** Far longer than any write takes: an older draft was left by a killed process. */
const DRAFT_LIFETIME_MS = 60_000;
const DRAFT = /\.[\da-f]{8}\.draft$/;

/** Windows has neither flag: there no link is a danger, because only administrators can make one. */
const READ_NO_LINK = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** How private a folder has to be, and how its files are written. */
export interface PrivateFolderOptions {
  /**
   * Whether a folder is accepted that others may read, or that a link leads to, because what is in it is no secret. Default false: it
   * must be the user's alone.
   */
  readonly readableByOthers?: boolean | undefined;
  /** The age at which a draft counts as left by a killed process, in milliseconds; 0 if the caller lets one write at a time. Default 60,000. */
  readonly draftLifetimeMs?: number | undefined;
}

/** What was found under a name. */
export type FoundFile =
  | { readonly kind: "none" }
  /** `wasReadable`: others could read it until now. */
  | { readonly kind: "file"; readonly bytes: Buffer; readonly wasReadable: boolean }
  | { readonly kind: "unusable"; readonly fault: FileFault; readonly why: string };

/** What `inspect` learned of a file without opening it. */
export interface InspectedFile {
  /** Tells this file from another one under the same name, which may have got the inode of one that was removed. */
  readonly mark: Pick<BigIntStats, "dev" | "ino" | "mtimeNs">;
  /** Why it cannot be used. */
  readonly fault: FileFault | undefined;
  /** Whether others could read it until now. */
  readonly wasReadable: boolean;
}

/** Why a file is not used, and how messages say it. */
const FAULTS = {
  link: "it is a link",
  notAFile: "it is not a file",
  tooLarge: "it is too large",
  othersOwn: "it belongs to another user",
  othersMayWrite: "other users can write to it",
  unreadable: "it cannot be read (EACCES)",
} as const;
type FileFault = keyof typeof FAULTS;

/**
 * A folder of files that only their owner may read and write (0600 in 0700, whatever the umask is). Nothing in it is read or written
 * through a link, and no file counts that another user owns or may write to: anybody could have put it there.
 *
 * All methods are synchronous and throw `McpError` `MCP_STORAGE_FAILED`, with the system's reason, if the folder or a file cannot be used.
 */
export class PrivateFolder {
  /** The absolute path. */
  readonly path: string;
  readonly #options: PrivateFolderOptions;

  constructor(path: string, options: PrivateFolderOptions = {}) {
    this.path = resolve(path);
    this.#options = options;
  }

  /** The path of a file. */
  pathOf(name: string): string {
    return join(this.path, name);
  }

  /** Whether the folder is there. Throws if it is, and is not private. */
  exists(): boolean {
    return this.#attempt(() => {
      const found = lstatSync(this.path, { throwIfNoEntry: false });
      if (found !== undefined) this.#requirePrivate();
      return found !== undefined;
    });
  }

  /** Creates the folder if it is missing, with those that lead to it. Throws if it is not private; its mode is never changed. */
  prepare(): void {
    this.#attempt(() => {
      if (lstatSync(this.path, { throwIfNoEntry: false }) === undefined) makeFolder(this.path);
      this.#requirePrivate();
    });
  }

  /** The names of its files without drafts; none if it is missing. */
  names(): readonly string[] {
    return this.#attempt(() =>
      this.exists() ? readdirSync(this.path).filter((name) => !DRAFT.test(name)) : [],
    );
  }

  /** Reads a file of at most 1 MiB. If others may read it, that right is taken away. */
  read(name: string): FoundFile {
    return this.#attempt(() => {
      const file = this.open(name);
      if (typeof file !== "number") return file;
      try {
        const { size, mode } = fstatSync(file);
        if (size > LARGEST_FILE_BYTES) return unusable("tooLarge");
        const wasReadable = isAllowed(mode, OTHERS_MAY_ANYTHING);
        if (wasReadable) fchmodSync(file, PRIVATE_FILE);
        return { kind: "file", bytes: readFileSync(file), wasReadable };
      } finally {
        closeSync(file);
      }
    });
  }

  /** Opens a file of any size for reading: its descriptor, which the caller closes, or what was found instead. */
  open(name: string): number | Exclude<FoundFile, { kind: "file" }> {
    return this.#attempt(() => {
      const file = openInPlace(this.pathOf(name));
      if (typeof file !== "number") return file;
      const fault = faultOf(fstatSync(file));
      if (fault === undefined) return file;
      closeSync(file);
      return unusable(fault);
    });
  }

  /**
   * Looks at a file without opening it, as is needed for one that this process may have locked: to close it would release the lock. If
   * others may read it, that right is taken away. `undefined` if it is missing.
   */
  inspect(name: string): InspectedFile | undefined {
    return this.#attempt(() => {
      const path = this.pathOf(name);
      const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (found === undefined) return undefined;
      const fault = faultOf(found);
      const wasReadable = isAllowed(Number(found.mode), OTHERS_MAY_ANYTHING);
      if (fault !== undefined || !wasReadable || makePrivate(path))
        return { mark: found, fault, wasReadable };
      return undefined;
    });
  }

  /** Creates an empty file and opens it for writing: its descriptor, which the caller closes. Throws if there is one of that name. */
  create(name: string): number {
    this.prepare();
    return this.#attempt(() => createFile(this.pathOf(name), PRIVATE_FILE));
  }

  /** Writes a whole file, in place of any that is there: a reader sees the old content or the new one, also after a crash. */
  replace(name: string, content: string | Uint8Array): void {
    this.#write(name, content, replaceFile);
  }

  /** Writes a whole file unless there is one of that name, in one step. Returns whether it did: of several processes, one does. */
  add(name: string, content: string | Uint8Array): boolean {
    return this.#write(name, content, addFile);
  }

  /** Removes whatever has that name, if it is there, and drafts that a killed process left. */
  remove(name: string): void {
    this.#attempt(() => {
      const path = this.pathOf(name);
      // `rmSync` would also hide that a folder on the way is none.
      if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path, { recursive: true, force: true });
      this.#removeLeftDrafts();
    });
  }

  /** Gives a file, or whatever is in its place, another name, in place of any that has it. A file is made private. */
  move(name: string, newName: string): void {
    this.#attempt(() => {
      const path = this.pathOf(newName);
      rmSync(path, { recursive: true, force: true });
      fileSystem.renameSync(this.pathOf(name), path);
      if (lstatSync(path).isFile()) chmodSync(path, PRIVATE_FILE);
    });
  }

  #write<T>(name: string, content: string | Uint8Array, place: typeof replaceFile | typeof addFile): T {
    this.prepare();
    return this.#attempt(() => {
      this.#removeLeftDrafts();
      return place(this.pathOf(name), content, { mode: PRIVATE_FILE }) as T;
    });
  }

  #removeLeftDrafts(): void {
    const { draftLifetimeMs = DRAFT_LIFETIME_MS } = this.#options;
    if (!existsSync(this.path)) return;
    for (const name of readdirSync(this.path)) {
      if (!DRAFT.test(name)) continue;
      const draft = lstatSync(this.pathOf(name), { throwIfNoEntry: false });
      if (draft === undefined) continue;
      // At 0 no clock is asked: the file's own may be a fraction of a millisecond ahead of `Date.now`.
      const isLeft = draftLifetimeMs === 0 || Date.now() - draft.mtimeMs >= draftLifetimeMs;
      if (isLeft) rmSync(this.pathOf(name), { force: true });
    }
  }

  #requirePrivate(): void {
    const { readableByOthers = false } = this.#options;
    const found = readableByOthers ? statSync(this.path) : lstatSync(this.path);
    const refuse = (why: string) => {
      throw new McpError("MCP_STORAGE_FAILED", `Nothing is kept in ${this.path}: ${why}.`);
    };
    if (found.isSymbolicLink()) refuse("it is a link, not a folder; name the folder itself");
    if (!found.isDirectory()) refuse("it is not a folder; remove it, or name another folder");
    if (isSomebodyElses(found)) refuse("it belongs to another user; name another folder");
    if (isAllowed(found.mode, OTHERS_MAY_WRITE))
      refuse("other users can write to it; remove their access (chmod 700), or name another folder");
    if (!readableByOthers && isAllowed(found.mode, OTHERS_MAY_ANYTHING))
      refuse("other users may access it; remove their access (chmod 700)");
  }

  #attempt<T>(act: () => T): T {
    try {
      return act();
    } catch (cause) {
      if (isMcpError(cause)) throw cause;
      const reason = (cause as NodeJS.ErrnoException).code ?? thrownText(cause);
      const message = `${this.path} cannot be used (${reason}); check that it is a folder that you can read and write to, and that its disk is not full.`;
      throw new McpError("MCP_STORAGE_FAILED", message, { cause });
    }
  }
}

interface WriteOptions {
  /** The mode of the file, whatever the umask is. Default: that of a new file. */
  readonly mode?: number | undefined;
}

/**
 * Writes a whole file, in place of any that is there: a reader sees the old content or the new one, also after a crash or on a full disk.
 * A link in its place is replaced.
 *
 * @param options - `mode`: the file's mode, default that of any new file
 * @throws the system's error; what was there stays as it was.
 */
export function replaceFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  const draft = writeDraft(path, content, options);
  try {
    fileSystem.renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Writes a whole file, unless there is one, in one step. Options and errors as of `replaceFile`.
 *
 * @returns whether it was written; `false` if something is there, even a link that leads nowhere.
 */
export function addFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): boolean {
  const draft = writeDraft(path, content, options);
  try {
    placeIfMissing(draft, path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function placeIfMissing(draft: string, path: string): void {
  try {
    fileSystem.linkSync(draft, path);
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) throw error;
    // Some file systems have no links. A reader may then see half a file.
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}

function writeDraft(path: string, content: string | Uint8Array, { mode }: WriteOptions): string {
  const draft = join(dirname(path), `${basename(path)}.${anyName()}.draft`);
  const file = createFile(draft, mode);
  let isWritten = false;
  try {
    writeFileSync(file, content);
    // A full disk may be reported only now.
    fileSystem.fsyncSync(file);
    isWritten = true;
    return draft;
  } finally {
    closeSync(file);
    if (!isWritten) rmSync(draft, { force: true });
  }
}

/** Distinguishes drafts. It need not be unguessable, because a draft is never opened if it exists; so `node:crypto` is not loaded. */
function anyName(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}

/** Returns whether the file is still there: another process may remove it at any time. */
function makePrivate(path: string): boolean {
  try {
    fileSystem.chmodSync(path, PRIVATE_FILE);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}

function createFile(path: string, mode: number | undefined): number {
  const file = fileSystem.openSync(path, "wx", mode);
  // The umask may have taken rights away.
  if (mode !== undefined) fchmodSync(file, mode);
  return file;
}

/** Creates each missing folder by itself: the umask may have taken rights away that are needed for the next. */
function makeFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: OWNER_MAY_ALL });
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return;
    throw error;
  }
  if ((lstatSync(path).mode & OWNER_MAY_ALL) !== OWNER_MAY_ALL) chmodSync(path, OWNER_MAY_ALL);
}

/** Neither follows a link nor blocks on a pipe. */
function openInPlace(path: string): number | Exclude<FoundFile, { kind: "file" }> {
  try {
    return fileSystem.openSync(path, READ_NO_LINK);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return { kind: "none" };
    if (hasErrorCode(error, "ELOOP")) return unusable("link");
    if (hasErrorCode(error, "ENXIO")) return unusable("notAFile");
    if (hasErrorCode(error, "EACCES")) return unusable("unreadable");
    throw error; // It says nothing of the file, such as that too many are open.
  }
}

function faultOf(found: Stats | BigIntStats): FileFault | undefined {
  if (found.isSymbolicLink()) return "link";
  if (!found.isFile()) return "notAFile";
  if (isSomebodyElses(found)) return "othersOwn";
  return isAllowed(Number(found.mode), OTHERS_MAY_WRITE) ? "othersMayWrite" : undefined;
}

function unusable(fault: FileFault): Extract<FoundFile, { kind: "unusable" }> {
  return { kind: "unusable", fault, why: FAULTS[fault] };
}

/**
 * Whether a file or folder belongs to another user than the one of this process, from its stats. Never on Windows, which has neither
 * owners nor modes: there a folder is private because it lies in the user's profile.
 */
export function isSomebodyElses({ uid }: { readonly uid: number | bigint }): boolean {
  const user = process.getuid?.();
  return user !== undefined && Number(uid) !== user;
}

function isAllowed(mode: number, rights: number): boolean {
  return process.getuid !== undefined && (mode & rights) !== 0;
}
