import type { RecordedTree } from "./process-record.ts";
import { currentPlace, openProcessRecordDirectory } from "./process-record-directory.ts";
import type { ProcessTable } from "./process-table.ts";

/** Keeps the record of one connector on disk. */
export interface ProcessRecorder {
  /**
   * Replaces the record, or removes it if there are no processes. Does nothing on systems that do not tell when a process started
   * (Windows).
   */
  save(trees: readonly RecordedTree[]): void;
}

/** Prepares a record. The first save that has something to write creates it, and the directory if it is missing. */
export function createProcessRecorder(directory: string, table: ProcessTable): ProcessRecorder {
  const folder = openProcessRecordDirectory(directory);
  const path = folder.pathFor(process.pid, anyName());
  let written = "[]";

  return {
    save(trees) {
      const running = trees.filter(({ processes }) => processes.length > 0);
      const wanted = JSON.stringify(running);
      if (wanted === written) return;
      const host = table.inspect(process.pid);
      if (!host) return;
      if (running.length === 0) folder.remove(path);
      else
        folder.write(path, {
          version: 1,
          place: currentPlace(),
          host: { pid: host.pid, start: host.start },
          trees: running,
        });
      written = wanted;
    },
  };
}

/** Distinguishes the records of one host. It need not be unguessable, so `node:crypto` is not loaded for it. */
function anyName(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}
