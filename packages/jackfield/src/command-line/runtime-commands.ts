import { isMcpError, McpError, silentLogger } from "@jackfield/mcp-core";
import type { McpReport } from "../mcp.ts";
import type { OpenMcpOptions } from "../open-mcp-options.ts";
import type { CommandArguments } from "./arguments.ts";
import { cellsOf } from "./cells.ts";
import type { CommandResult } from "./command-result.ts";
import { counted } from "./lines.ts";
import { nextCommand } from "./next-command.ts";
import { type OpenedRuntime, type OpenRuntimeOptions, openRuntime } from "./opened-runtime.ts";
import { pageOf } from "./page.ts";
import { showProgress } from "./progress-lines.ts";
import { messageLines, type Terminal } from "./terminal.ts";
import { withTypedOptions } from "./typed-options.ts";

/** A command that needs the servers. */
export type RuntimeArguments = CommandArguments & {
  readonly command:
    | "status"
    | "tools"
    | "call"
    | "resources"
    | "read"
    | "prompts"
    | "prompt"
    | "verify"
    | "doctor"
    | "logs"
    | "tap";
};

export interface RuntimeCommandOptions extends Pick<OpenRuntimeOptions, "terminal" | "signal" | "log"> {
  /** Prints what is wrong with the configuration. */
  tellProblems(report: McpReport): void;
  /** Prints a result, and returns the exit code. */
  show(result: CommandResult): Promise<number>;
}

/** For commands that ask the servers themselves: waits until each is ready or has failed, by its own connect deadline. */
const UNTIL_SETTLED: OpenMcpOptions["startup"] = { staleAfterMs: 0, gateMs: Number.POSITIVE_INFINITY };
/** For commands about one server: it is found in the catalog, and no other is started. */
const ONE_SERVER: OpenMcpOptions["startup"] = { lazy: true };

/** Opens the runtime for one command, and closes it when its result has been printed. */
export async function runOnRuntime(args: RuntimeArguments, options: RuntimeCommandOptions): Promise<number> {
  if (args.command === "doctor") return examine(args, options);
  if (args.command === "logs" || args.command === "tap") {
    const { listen } = await import("./traffic-command.ts");
    return listen(args, options);
  }
  const { terminal, signal, log } = options;
  const isOfOne = isOfOneServer(args);
  const isAsked = args.command === "status" || args.command === "verify";
  const startup = isOfOne ? ONE_SERVER : isAsked ? UNTIL_SETTLED : undefined;
  await using runtime = await openRuntime(args, { terminal, signal, startup, log });
  const { report } = runtime.mcp;
  try {
    const result = await execute(runtime, args, terminal, signal);
    // Awaited, because the servers are closed when this function ends, and the result may be read slowly.
    const exitCode = await options.show(result);
    // Last, so that what is wrong elsewhere does not bury the answer.
    if (!isOfOne) options.tellProblems(args.command === "status" ? untold(report) : report);
    tellRemarks(result, terminal);
    return exitCode;
  } catch (error) {
    if (isOfOne) throw withUnread(error, report, args);
    options.tellProblems(report);
    throw error;
  }
}

function isOfOneServer(args: RuntimeArguments): boolean {
  if (["call", "read", "prompt"].includes(args.command)) return true;
  return "server" in args && args.server !== undefined;
}

/** What a table of servers does not say. */
function untold(report: McpReport): McpReport {
  const problems = report.problems.filter(({ server }) => server === undefined);
  const diagnostics = report.diagnostics.filter(({ code }) => code !== "not-approved");
  return { ...report, problems, diagnostics };
}

function tellRemarks({ remarks = [] }: CommandResult, { stderr }: Terminal): void {
  const { columns } = pageOf(stderr);
  for (const remark of remarks)
    stderr.write(`${messageLines(`warning: ${withTypedOptions(remark)}`, columns, cellsOf)}\n`);
}

/** What is not known may be in a file that could not be read, which is said once and not in full. */
function withUnread(error: unknown, { problems }: McpReport, args: RuntimeArguments): unknown {
  const isUnknown = isMcpError(error, "MCP_SERVER_UNKNOWN") || isMcpError(error, "MCP_TOOL_UNKNOWN");
  if (!isUnknown || problems.length === 0) return error;
  const [first] = problems;
  const own = problems.length === 1 ? first?.error.message : undefined;
  const unread =
    own ??
    `${counted(problems.length, "file or entry", "files or entries")} could not be used; "${nextCommand("doctor", args)}" says why.`;
  const { code, server, tool, outcome } = error;
  return new McpError(code, `${error.message} ${unread}`, { server, tool, outcome, cause: error });
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
  args: Exclude<RuntimeArguments, { readonly command: "doctor" | "logs" | "tap" }>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<CommandResult> {
  // Started later: not while the user types the input that is read below.
  const showing = () => (args.verbose ? undefined : showProgress(terminal.stderr, activities));
  switch (args.command) {
    case "status": {
      const { status } = await import("./status-command.ts");
      using _ = showing();
      return await status(mcp, { ...args, signal });
    }
    case "tools": {
      const { tools } = await import("./tools-command.ts");
      using _ = showing();
      // Awaited, because the lines are erased when this function ends.
      return await tools(mcp, { ...args, signal });
    }
    case "verify": {
      const { verify } = await import("./verify-command.ts");
      using _ = showing();
      return await verify(mcp, { ...args, signal });
    }
    case "resources":
    case "read":
    case "prompts":
    case "prompt": {
      const { askContext } = await import("./context-commands.ts");
      using _ = showing();
      return await askContext(mcp, args, signal);
    }
    default:
      return callOrExplain(mcp, args, { terminal, signal, activities, showing });
  }
}

interface Calling extends Pick<OpenedRuntime, "activities"> {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly showing: () => Disposable | undefined;
}

async function callOrExplain(
  mcp: OpenedRuntime["mcp"],
  args: RuntimeArguments & { readonly command: "call" },
  { terminal, signal, activities, showing }: Calling,
): Promise<CommandResult> {
  const { findTool } = await import("./tool-reference.ts");
  const { timeoutMs, words, cwd } = args;
  const find = () => findTool(mcp, args.tool, { words, signal, timeoutMs, places: args });
  if (args.help) {
    const { toolAsJson, toolHelp } = await import("./tool-signature.ts");
    using _ = showing();
    const { tool } = await find();
    return { json: toolAsJson(tool), text: (page) => toolHelp(tool, page), exitCode: 0 };
  }
  const { call } = await import("./call-command.ts");
  const { inputFor, readInput } = await import("./typed-values.ts");
  const reading = { stdin: () => terminal.stdin ?? process.stdin, cwd, signal };
  // A word without "=" may be the tool's name behind its server's, so only what is sure to be an argument is read first.
  const isSure = words.every((word) => word === "-" || /^@|[={[]/.test(word));
  const early = isSure ? await readInput(words, reading) : undefined;
  using _ = showing();
  const found = await find();
  const typed = early ?? (await readInput(found.words, reading));
  const input = inputFor(typed, found.tool.definition.inputSchema);
  return await activities.during(args.tool, "calling", () =>
    call(mcp, { tool: found.tool, input, timeoutMs, signal }),
  );
}
