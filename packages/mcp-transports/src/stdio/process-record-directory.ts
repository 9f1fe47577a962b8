import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "../builtin-modules.ts";
import { type ProcessPlace, type ProcessRecord, parseProcessRecord } from "./process-record.ts";

const {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = fileSystem;

/** Far larger than the record of any host; a larger file is not ours. */
const LARGEST_RECORD_BYTES = 1024 * 1024;
const OTHERS_MAY_WRITE = 0o022;
const RECORD_NAME = /^(\d+)-[0-9a-f]{8}\.json(\.draft)?$/;

/** A file of the directory that is named like a record. */
export interface RecordFile {
  readonly path: string;
  readonly hostPid: number;
  /** The file is incomplete: its writer is still writing, or was killed. */
  readonly isDraft: boolean;
}

/** One record for each connector. Everything is synchronous: a record must be complete before the host can be killed. */
export interface ProcessRecordDirectory {
  list(): readonly RecordFile[];
  /** Nothing if the file is no record, or its host removes it meanwhile. */
  read(path: string): ProcessRecord | undefined;
  /** The path of a record of this host. `name` distinguishes several in one host: eight hexadecimal digits. */
  pathFor(hostPid: number, name: string): string;
  write(path: string, record: ProcessRecord): void;
  remove(path: string): void;
}

/**
 * The directory is created with the first record. Anyone who can write in it can have processes ended, so a directory that
 * belongs to another user, or in which others may write, is refused with `MCP_STORAGE_FAILED`.
 */
export function openProcessRecordDirectory(directory: string): ProcessRecordDirectory {
  const folder = resolve(directory);
  return {
    list() {
      if (!statSync(folder, { throwIfNoEntry: false })) return [];
      requirePrivate(folder);
      return readdirSync(folder).flatMap((name) => {
        const [, hostPid, draft] = RECORD_NAME.exec(name) ?? [];
        return hostPid
          ? { path: join(folder, name), hostPid: Number(hostPid), isDraft: draft !== undefined }
          : [];
      });
    },
    read(path) {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (!found?.isFile() || found.size > LARGEST_RECORD_BYTES) return undefined;
      const text = textUnlessGone(path);
      return text === undefined ? undefined : parseProcessRecord(text);
    },
    pathFor: (hostPid, name) => join(folder, `${hostPid}-${name}.json`),
    write(path, record) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      requirePrivate(folder);
      const draft = `${path}.draft`;
      rmSync(draft, { force: true });
      writeFileSync(draft, JSON.stringify(record), { mode: 0o600, flag: "wx" });
      renameSync(draft, path);
    },
    remove: (path) => rmSync(path, { force: true }),
  };
}

/** The place of this process. A part that the system does not tell is an empty string. */
export function currentPlace(): ProcessPlace {
  return {
    machine: hostname(),
    boot: textOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: textOr(() => readlinkSync("/proc/self/ns/pid")),
  };
}

function textUnlessGone(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function textOr(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

function requirePrivate(folder: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const { uid, mode } = statSync(folder);
  if (uid !== user)
    throw new McpError("MCP_STORAGE_FAILED", `${folder} belongs to another user; name another directory.`);
  if (mode & OTHERS_MAY_WRITE)
    throw new McpError(
      "MCP_STORAGE_FAILED",
      `Other users can write to ${folder}; remove that permission (chmod 700) or name another directory.`,
    );
}
