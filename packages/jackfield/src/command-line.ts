import { readFile } from "node:fs/promises";
import type { LoadedServers } from "@jackfield/mcp-config";
import { isMcpError, type Logger, type McpError, silentLogger, toMcpError } from "@jackfield/mcp-core";
import { openApprovals } from "./approval-store.ts";
import { approve } from "./command-line/approve-command.ts";
import { type CommandArguments, readArguments } from "./command-line/arguments.ts";
import { cache, catalogDirectory } from "./command-line/cache-command.ts";
import { call } from "./command-line/call-command.ts";
import type { CommandResult } from "./command-line/command-result.ts";
import { listConfig, parseConfig } from "./command-line/config-command.ts";
import { watchCatalog } from "./command-line/doctor/catalog-findings.ts";
import { doctor } from "./command-line/doctor-command.ts";
import { helpOn } from "./command-line/help.ts";
import { init } from "./command-line/init-command.ts";
import {
  type OpenedRuntime,
  type OpenRuntimeOptions,
  openRuntime,
  runtimeOptions,
} from "./command-line/opened-runtime.ts";
import { pageOf } from "./command-line/page.ts";
import { showProgress } from "./command-line/progress-lines.ts";
import { status } from "./command-line/status-command.ts";
import { printable, type Terminal } from "./command-line/terminal.ts";
import { tools } from "./command-line/tools-command.ts";
import { types } from "./command-line/types-command.ts";
import { verify } from "./command-line/verify-command.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";

/** As a shell reports a program that was ended by Ctrl+C. */
const EXIT_INTERRUPTED = 130;

/** What asks the servers themselves waits until each is up, or is not: each has a connect deadline of its own. */
const UNTIL_SETTLED: OpenMcpOptions["startup"] = { staleAfterMs: 0, gateMs: 2_147_483_647 };
const ASKS_SERVERS: readonly string[] = ["status", "verify"];

/**
 * The `jackfield` command line. Never throws: what goes wrong is told on standard error.
 *
 * @param argv - the words after the program's name
 * @returns the exit code
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal = process): Promise<number> {
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await run(readArguments(argv), terminal, interrupt.signal);
  } catch (thrown) {
    terminal.stderr.write(errorText(toMcpError(thrown, "MCP_INTERNAL", String(thrown))));
    return isMcpError(thrown, "MCP_ABORTED") ? EXIT_INTERRUPTED : 1;
  } finally {
    process.removeListener("SIGINT", onInterrupt);
  }
}

async function run(args: CommandArguments, terminal: Terminal, signal: AbortSignal): Promise<number> {
  if (args.command === "help") return write(terminal, helpOn(args.on));
  if (args.command === "version") return write(terminal, `${await readVersion()}\n`);
  if (args.command === "cache") {
    const log = logTo(terminal, args.verbose ? "debug" : "warn");
    return show(await cache(args.wanted, { directory: args.cache, log }), args, terminal);
  }
  if (args.command === "config") return config(args, terminal);
  if (args.command === "approve") return approveServers(args, terminal, signal);
  if (args.command === "login" || args.command === "logout") return account(args, terminal, signal);
  if (args.command === "init") {
    const ledger = openApprovals(undefined, logTo(terminal, "warn"));
    return show(await init({ ...args, ledger }), args, terminal);
  }
  const log = args.verbose ? logTo(terminal, "debug") : undefined;
  if (args.command === "types") {
    return show(await types({ ...args, runtime: { ...runtimeOptions(args), log, signal } }), args, terminal);
  }
  if (args.command === "doctor") return examine(args, { terminal, signal, log });
  const startup = ASKS_SERVERS.includes(args.command) ? UNTIL_SETTLED : undefined;
  await using runtime = await openRuntime(args, { terminal, signal, startup, log });
  tellProblems(runtime.mcp.report, args, terminal);
  for (const { server, hostPid } of runtime.leftovers) {
    terminal.stderr.write(
      `warning: ${printable(server)} of an earlier run (host ${hostPid}) is still running\n`,
    );
  }
  return show(await execute(runtime, args, terminal, signal), args, terminal);
}

/** What others say on standard error is among the findings here. */
async function examine(
  args: CommandArguments,
  { terminal, signal, log = silentLogger }: Pick<OpenRuntimeOptions, "terminal" | "signal" | "log">,
): Promise<number> {
  await using catalog = watchCatalog(catalogDirectory(args.cache), log);
  const { cache } = catalog;
  await using runtime = await openRuntime(args, { terminal, signal, log, cache, startup: UNTIL_SETTLED });
  using _ = args.verbose ? undefined : showProgress(terminal.stderr, runtime.activities);
  return show(await doctor(runtime, { catalog, signal }), args, terminal);
}

async function config(
  args: CommandArguments & { readonly command: "config" },
  terminal: Terminal,
): Promise<number> {
  const { wanted, cwd, configFiles: files, servers, discover } = args;
  if (wanted.action === "parse") return show(await parseConfig(wanted, cwd), args, terminal);
  const hosts = discover ? args.hosts : [];
  const ledger = openApprovals(undefined, logTo(terminal, "warn"));
  const { found, ...result } = await listConfig({ cwd, files, servers, hosts, ledger });
  tellProblems(found, args, terminal);
  if (found.discoveryError) terminal.stderr.write(errorText(found.discoveryError));
  return show(result, args, terminal);
}

async function approveServers(
  args: CommandArguments & { readonly command: "approve" },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { cwd, discover, server: name, yes } = args;
  const { found, ...result } = await approve({
    cwd,
    hosts: discover ? args.hosts : [],
    name,
    yes,
    ledger: openApprovals(undefined, logTo(terminal, "warn")),
    terminal,
    stdin: terminal.stdin ?? process.stdin,
    signal,
  });
  tellProblems(found, args, terminal);
  return show(result, args, terminal);
}

async function account(
  args: CommandArguments & { readonly command: "login" | "logout" },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { cwd, configFiles: files, servers, server: name } = args;
  const hosts = args.discover ? args.hosts : [];
  const log = logTo(terminal, args.verbose ? "debug" : "warn");
  const options = { name, cwd, files, servers, hosts, log, signal };
  // No other command needs what knows OAuth.
  const { login, logout } = await import("./command-line/login-command.ts");
  const result = args.command === "login" ? login({ ...args, ...options, terminal }) : logout(options);
  return show(await result, args, terminal);
}

function tellProblems(
  { problems, diagnostics }: Pick<LoadedServers, "problems" | "diagnostics">,
  { verbose }: CommandArguments,
  { stderr }: Terminal,
): void {
  for (const { error } of problems) stderr.write(errorText(error));
  for (const { severity, message } of diagnostics) {
    if (severity !== "info" || verbose) stderr.write(`${severity}: ${printable(message)}\n`);
  }
}

async function show(result: CommandResult, args: CommandArguments, terminal: Terminal): Promise<number> {
  const { json, text, exitCode } = result;
  const shown = typeof text === "string" ? text : text(pageOf(terminal.stdout));
  await write(terminal, args.json ? `${JSON.stringify(json, undefined, 2)}\n` : shown);
  return exitCode;
}

async function execute(
  { mcp, activities }: OpenedRuntime,
  args: CommandArguments,
  { stderr, stdin }: Terminal,
  signal: AbortSignal,
): Promise<CommandResult> {
  if (args.command === "tools") return tools(mcp, args);
  if (args.command === "verify") return verify(mcp, args);
  if (args.command !== "call") return status(mcp);
  using _ = args.verbose ? undefined : showProgress(stderr, activities);
  // Awaited, because the lines are taken away when this function ends.
  return await activities.during(args.tool, "calling", () =>
    call(mcp, { ...args, stdin: () => stdin ?? process.stdin, signal }),
  );
}

function logTo({ stderr }: Terminal, least: "debug" | "warn"): Logger {
  return (level, message, fields) => {
    if (least === "warn" && (level === "debug" || level === "info")) return;
    const told = fields === undefined ? "" : ` ${JSON.stringify(fields)}`;
    stderr.write(`${level}: ${printable(message)}${told}\n`);
  };
}

function errorText(error: McpError): string {
  return `error: ${printable(error.message)} (${error.code})\n`;
}

/** Resolves when the text has been handed over, so that nothing is lost when the process ends. */
function write({ stdout }: Terminal, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => {
      // A reader that has seen enough, such as `head`, is no failure.
      if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") reject(error);
      else resolve(0);
    });
  });
}

async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  return version;
}
