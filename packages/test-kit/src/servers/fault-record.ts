import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** One event in the life of a stdio fault server. */
export type FaultRecord =
  | { readonly event: "started"; readonly pid: number; readonly grandchild?: number | undefined }
  | { readonly event: "received"; readonly pid: number; readonly method: string; readonly params?: unknown }
  /** Missing if the process was killed. */
  | { readonly event: "ended"; readonly pid: number; readonly because: string };

/** Appends one event. Synchronous, so that it is kept even if the process is killed next. */
export function writeFaultRecord(file: string | undefined, record: FaultRecord): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** Reads the events of the servers with this `recordTo`, oldest first; empty if none has started. */
export function readFaultRecord(file: string): readonly FaultRecord[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FaultRecord);
}
