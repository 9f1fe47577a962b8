import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import type { ResolvedManagerOptions } from "../options.ts";
import { type Run, refuseIfClosed } from "../run.ts";
import type { ServerDirectory } from "../server-directory.ts";
import { startAllOrNone, startServers } from "./start-servers.ts";
import { reportStartup, type StartupReport } from "./startup-report.ts";

export interface StartRunOptions {
  readonly directory: ServerDirectory;
  readonly options: ResolvedManagerOptions;
  readonly signal: AbortSignal | undefined;
  /** The configuration of a run that follows another; called when the other has ended. */
  readonly latest: () => readonly ServerDefinition[];
  /** Closes the run when starting it fails. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a manager's servers, which are made anew after a `close()`, and reports the result.
 *
 * @throws McpError `MCP_ABORTED` if the signal fires, `MCP_CLOSED`, or the first server's failure if all must come up. If starting
 * fails, everything is closed first, including what calls had connected before.
 */
export async function startRun(
  run: Run,
  { directory, options, signal, latest, close }: StartRunOptions,
): Promise<StartupReport> {
  const startedAt = process.hrtime.bigint(); // Unlike `performance`, it loads no module.
  if (run.before !== undefined) {
    run.renewed = renewAfter(run.before, run, () => directory.renew(latest()));
    await run.renewed;
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

async function renewAfter(before: Promise<void>, run: Run, renew: () => void): Promise<void> {
  await before;
  refuseIfClosed(run);
  renew();
}
