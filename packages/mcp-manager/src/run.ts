import { McpError } from "@jackfield/mcp-core";
import type { StartupReport } from "./startup/startup-report.ts";

/** One run of a manager: it ends with `close()`, and the next `start()` begins another. */
export interface Run {
  /** Fires when the run is to end. */
  readonly stop: AbortController;
  /** Resolves when the previous run has ended; missing in the first. */
  readonly before: Promise<void> | undefined;
  /** Resolves when the previous run's servers are closed and this run's are made. Rejects if this run is closed meanwhile. */
  renewed?: Promise<void>;
  starting?: Promise<StartupReport>;
  closed?: Promise<void>;
}

export function createRun(before?: Promise<void>): Run {
  return { stop: new AbortController(), before };
}

/** @throws McpError `MCP_CLOSED` */
export function refuseIfClosed({ closed }: Run): void {
  if (closed !== undefined) throw closedError();
}

export function closedError(): McpError {
  return new McpError("MCP_CLOSED", "The runtime was closed; open it again to use its servers.", {
    outcome: "not-sent",
  });
}
