import { hostname } from "node:os";
import { fileSystem, PrivateFolder } from "@jackfield/mcp-core/node";
import { type ProcessPlace, type ProcessRecord, parseProcessRecord } from "./process-record.ts";

const { readFileSync, readlinkSync } = fileSystem;

const RECORD_NAME = /^\d+-[0-9a-f]{8}\.json$/;

/**
 * The directory of the records, one for each connector, which is created with the first. Anyone who can write in it can have processes
 * ended, so it must be this user's, and nobody else's to write in. Records are written before the next turn of the event loop, so that
 * they are complete before the host can be killed; they need not survive a power cut, which ends their processes, too.
 */
export function processRecordFolder(directory: string): PrivateFolder {
  return new PrivateFolder(directory, { readableByOthers: true, durable: false });
}

/** The names of all records in the directory. */
export function recordNames(folder: PrivateFolder): readonly string[] {
  return folder.names().filter((name) => RECORD_NAME.test(name));
}

/** The name of a record of this host, different for each of its connectors. */
export function newRecordName(): string {
  // It need not be unguessable, so `node:crypto` is not loaded for it.
  const suffix = Math.floor(Math.random() * 2 ** 32).toString(16);
  return `${process.pid}-${suffix.padStart(8, "0")}.json`;
}

/** Nothing if the file is no record, or its host removes it meanwhile. */
export function readProcessRecord(folder: PrivateFolder, name: string): ProcessRecord | undefined {
  const found = folder.read(name);
  return found.kind === "file" ? parseProcessRecord(found.bytes.toString()) : undefined;
}

/** The place of this process. A part that the system does not tell is an empty string. */
export function currentPlace(): ProcessPlace {
  return {
    machine: hostname(),
    boot: textOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: textOr(() => readlinkSync("/proc/self/ns/pid")),
  };
}

function textOr(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
