import { McpError } from "@jackfield/mcp-core";
import type { ResolvedManagerOptions } from "../options.ts";
import { type Run, refuseIfClosed } from "../run.ts";
import type { ServerDirectory } from "../server-directory.ts";
import { startAllOrNone, startServers } from "./start-servers.ts";
import { reportStartup, type StartupReport } from "./startup-report.ts";

export interface StartRunOptions {
  readonly directory: ServerDirectory;
  readonly options: ResolvedManagerOptions;
  readonly signal: AbortSignal | undefined;
  /** Ends the run, once it cannot be. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a manager's servers, made anew if it was closed before, and says how that went.
 *
 * @throws McpError `MCP_ABORTED` if the signal fires, `MCP_CLOSED`, or why the first server failed where all must come up; everything
 * that was started is gone then.
 */
export async function startRun(
  run: Run,
  { directory, options, signal, close }: StartRunOptions,
): Promise<StartupReport> {
  const startedAt = process.hrtime.bigint(); // Nothing has to be loaded for it, as for `performance`.
  if (run.before !== undefined) {
    await run.before;
    refuseIfClosed(run);
    directory.renew();
  }
  const stop = AbortSignal.any([run.stop.signal, ...(signal === undefined ? [] : [signal])]);
  const start = options.startup.failures === "throw" ? startAllOrNone : startServers;
  try {
    await start(directory.all(), options, stop);
    if (signal?.aborted === true) throw new McpError("MCP_ABORTED", "Starting the servers was aborted.");
  } catch (error) {
    await close();
    throw error;
  }
  refuseIfClosed(run);
  const tookMs = Number((process.hrtime.bigint() - startedAt) / 1_000_000n);
  return reportStartup(directory.all(), directory.configured, tookMs);
}
