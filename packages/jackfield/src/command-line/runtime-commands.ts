import { silentLogger } from "@jackfield/mcp-core";
import type { McpReport } from "../mcp.ts";
import type { OpenMcpOptions } from "../open-mcp-options.ts";
import type { CommandArguments } from "./arguments.ts";
import { cellsOf } from "./cells.ts";
import type { CommandResult } from "./command-result.ts";
import { nextCommand } from "./next-command.ts";
import { type OpenedRuntime, type OpenRuntimeOptions, openRuntime } from "./opened-runtime.ts";
import { pageOf } from "./page.ts";
import { showProgress } from "./progress-lines.ts";
import { messageLines, type Terminal } from "./terminal.ts";
import { withTypedOptions } from "./typed-options.ts";

/** A command that needs the servers. */
export type RuntimeArguments = CommandArguments & {
  readonly command: "status" | "tools" | "call" | "verify" | "doctor";
};

export interface RuntimeCommandOptions extends Pick<OpenRuntimeOptions, "terminal" | "signal" | "log"> {
  /** Prints what is wrong with the configuration. */
  tellProblems(report: McpReport): void;
  /** Prints a result, and returns the exit code. */
  show(result: CommandResult): Promise<number>;
}

/** For commands that ask the servers themselves: waits until each is ready or has failed, by its own connect deadline. */
const UNTIL_SETTLED: OpenMcpOptions["startup"] = { staleAfterMs: 0, gateMs: Number.POSITIVE_INFINITY };
const ASKS_SERVERS: readonly string[] = ["status", "verify"];

/** Opens the runtime for one command, and closes it when its result has been printed. */
export async function runOnRuntime(args: RuntimeArguments, options: RuntimeCommandOptions): Promise<number> {
  if (args.command === "doctor") return examine(args, options);
  const { terminal, signal, log } = options;
  const startup = ASKS_SERVERS.includes(args.command) ? UNTIL_SETTLED : undefined;
  await using runtime = await openRuntime(args, { terminal, signal, startup, log });
  options.tellProblems(runtime.mcp.report);
  const result = await execute(runtime, args, terminal, signal);
  const { columns } = pageOf(terminal.stderr);
  for (const remark of result.remarks ?? []) {
    const text = `warning: ${withTypedOptions(remark)}`;
    terminal.stderr.write(`${messageLines(text, columns, cellsOf)}\n`);
  }
  // Awaited, because the servers are closed when this function ends, and the result may be read slowly.
  return await options.show(result);
}

/** Runs `doctor`, which reports as findings what other commands print on standard error. */
async function examine(
  args: RuntimeArguments,
  { terminal, signal, log = silentLogger, show }: RuntimeCommandOptions,
): Promise<number> {
  const { catalogPlace } = await import("./cache-command.ts");
  const { watchCatalog } = await import("./doctor/catalog-findings.ts");
  const { doctor } = await import("./doctor-command.ts");
  await using catalog = watchCatalog(
    catalogPlace(args.cache, args.cwd),
    log,
    nextCommand("cache clear", { cwd: args.cwd, cache: args.cache }),
  );
  const { cache } = catalog;
  await using runtime = await openRuntime(args, { terminal, signal, log, cache, startup: UNTIL_SETTLED });
  using _ = args.verbose ? undefined : showProgress(terminal.stderr, runtime.activities);
  return await show(await doctor(runtime, { catalog, places: args, signal }));
}

async function execute(
  { mcp, activities }: OpenedRuntime,
  args: RuntimeArguments,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<CommandResult> {
  // Started later: not while the user types the input that is read below.
  const showing = () => (args.verbose ? undefined : showProgress(terminal.stderr, activities));
  if (args.command === "tools") {
    const { tools } = await import("./tools-command.ts");
    using _ = showing();
    // Awaited, because the lines are erased when this function ends.
    return await tools(mcp, { ...args, signal });
  }
  if (args.command === "verify") {
    const { verify } = await import("./verify-command.ts");
    using _ = showing();
    return await verify(mcp, { ...args, signal });
  }
  if (args.command !== "call") {
    const { status } = await import("./status-command.ts");
    return status(mcp);
  }
  const { call, findTool, readInput } = await import("./call-command.ts");
  const input = await readInput(args.input, { stdin: () => terminal.stdin ?? process.stdin, signal });
  using _ = showing();
  const tool = await findTool(mcp, args.tool, signal, args);
  return await activities.during(args.tool, "calling", () => call(mcp, { tool, input, signal }));
}
