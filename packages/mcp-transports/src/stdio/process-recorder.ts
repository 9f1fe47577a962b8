import type { ProcessRecord, RecordedTree } from "./process-record.ts";
import { currentPlace, newRecordName, processRecordFolder } from "./process-record-directory.ts";
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
  const folder = processRecordFolder(directory);
  const name = newRecordName();
  let written = "[]";

  return {
    save(trees) {
      const running = trees.filter(({ processes }) => processes.length > 0);
      const wanted = JSON.stringify(running);
      if (wanted === written) return;
      const host = table.inspect(process.pid);
      if (!host) return;
      const record: ProcessRecord = {
        version: 1,
        place: currentPlace(),
        host: { pid: host.pid, start: host.start },
        trees: running,
      };
      if (running.length === 0) folder.remove(name);
      else folder.replace(name, JSON.stringify(record));
      written = wanted;
    },
  };
}
