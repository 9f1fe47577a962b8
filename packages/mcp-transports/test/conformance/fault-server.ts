import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import { type FaultRecord, type FaultScript, readFaultRecord, stdioFaultServer } from "@jackfield/test-kit";

/** A child process that misbehaves, and the record that it writes. */
export interface PreparedFaultServer {
  readonly server: ResolvedStdioServer;
  records(): readonly FaultRecord[];
  /** Removes the record. */
  dispose(): void;
}

/** Prepares a server. Nothing runs before a client connects. */
export function prepareFaultServer(script: FaultScript): PreparedFaultServer {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-transports-"));
  const recordTo = join(folder, "record.jsonl");
  return {
    server: { transport: "stdio", name: "child", secrets: [], ...stdioFaultServer({ ...script, recordTo }) },
    records: () => readFaultRecord(recordTo),
    dispose: () => rmSync(folder, { recursive: true }),
  };
}
