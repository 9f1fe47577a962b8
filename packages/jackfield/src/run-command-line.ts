import type { DiscoveredServers } from "@jackfield/mcp-config";
import { isMcpError, type Logger, McpError, thrownText, toMcpError } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { type CommandArguments, readArguments } from "./command-line/arguments.ts";
import { cellsOf } from "./command-line/cells.ts";
import type { CommandResult } from "./command-line/command-result.ts";
import { keepCompiledModules } from "./command-line/compiled-modules.ts";
import { interruption, untilInterrupted } from "./command-line/interruption.ts";
import { watchTerminal, writeText } from "./command-line/outputs.ts";
import { pageOf } from "./command-line/page.ts";
import {
  messageLines,
  type Output,
  placed,
  printableJson,
  printableMessage,
  type Terminal,
} from "./command-line/terminal.ts";
import { withTypedOptions } from "./command-line/typed-options.ts";
import { EXIT_USAGE, UsageError } from "./command-line/wrong-usage.ts";
import { connectDeadlineFault } from "./connect-deadline.ts";
import type { McpReport } from "./mcp.ts";
import { hasStateDirectory, NO_STATE_DIRECTORY_WARNING } from "./unknown-home.ts";

/** The exit code that shells report for a program ended by Ctrl+C. */
const EXIT_INTERRUPTED = 130;

/** The program `jackfield`: as `runCommandLine`, with a cache of compiled modules. */
export function runProgram(argv: readonly string[]): Promise<number> {
  keepCompiledModules();
  return runCommandLine(argv);
}

/**
 * The `jackfield` command line. Never throws: errors are written to standard error.
 *
 * @param argv - the words after the program's name
 * @returns the exit code
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal = process): Promise<number> {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const onInterrupt = () => interrupt.abort(interruption());
  process.once("SIGINT", onInterrupt);
  const watched = watchTerminal(terminal);
  try {
    const exitCode = await runUntilDone(argv, watched.terminal, signal);
    await watched.release(signal);
    // An interrupted command must not report success, whatever it has printed.
    if (signal.aborted) return EXIT_INTERRUPTED;
    return exitCode === 0 && watched.hasFailed() ? 1 : exitCode;
  } finally {
    process.removeListener("SIGINT", onInterrupt);
  }
}

async function runUntilDone(
  argv: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  try {
    const args = await readArguments(argv);
    return await run({ ...args, hosts: args.hosts ?? (await defaultHosts(args)) }, terminal, signal);
  } catch (thrown) {
    const error = explained(thrown);
    terminal.stderr.write(errorText(error, terminal.stderr));
    if (isMcpError(thrown, "MCP_ABORTED")) return EXIT_INTERRUPTED;
    // As `--json` may itself be what could not be understood, the words are looked at.
    if (argv.includes("--json")) await printError(error, terminal, signal);
    return error instanceof UsageError ? EXIT_USAGE : 1;
  }
}

/** What `--json` prints in place of a document if there is none. */
function printError(error: McpError, terminal: Terminal, signal: AbortSignal): Promise<unknown> {
  return print(documentText({}, error), terminal, signal).catch(() => {});
}

/** What `--json` prints: the document of a command, and the error that kept it from all of its work. */
function documentText(json: object, error: McpError | undefined): string {
  if (error === undefined) return `${printableJson(JSON.stringify(json, undefined, 2))}\n`;
  const { location: _location, ...report } = error.toJSON();
  const shown = { ...report, message: withTypedOptions(error.message) };
  return `${printableJson(JSON.stringify({ ...json, error: shown }, undefined, 2))}\n`;
}

/** Only commands that look for servers need to know, and the module reads where they are. */
async function defaultHosts(args: CommandArguments): Promise<CommandArguments["hosts"]> {
  if (!looksForServers(args)) return undefined;
  const { hostsOfUser } = await import("./command-line/hosts-of-user.ts");
  return hostsOfUser();
}

function looksForServers(args: CommandArguments): boolean {
  if (args.command === "config") return args.action.kind === "list";
  return !["help", "version", "cache", "init", "add"].includes(args.command);
}

function explained(thrown: unknown): McpError {
  // Node's own error, where a command needs the working directory for a path or for a hint.
  const isRemovedFolder = thrown instanceof Error && "syscall" in thrown && thrown.syscall === "uv_cwd";
  if (!isRemovedFolder) return toMcpError(thrown, "MCP_INTERNAL", thrownText(thrown));
  const message = "The working directory was removed; change to a folder that exists.";
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config", cause: thrown });
}

/** Loads only the modules of the given command: loading all of them takes longer than most commands. */
async function run(args: CommandArguments, terminal: Terminal, signal: AbortSignal): Promise<number> {
  if (worksInFolder(args)) refuseMissingFolder(args);
  switch (args.command) {
    case "help":
      return print((await import("./command-line/help.ts")).helpOn(args.on), terminal, signal);
    case "version":
      return print(`${readVersion()}\n`, terminal, signal);
    case "config":
      return config(args, terminal, signal);
    case "cache": {
      const { cache } = await import("./command-line/cache-command.ts");
      const log = logTo(terminal, args.verbose ? "debug" : "warn");
      const result = cache(args.action, { directory: args.cache, cwd: args.cwd, log });
      return show(await untilInterrupted(result, signal), args, terminal, signal);
    }
    case "approve":
      return approveServers(args, terminal, signal);
    case "login":
    case "logout":
      return account(args, terminal, signal);
    case "init": {
      const { init } = await import("./command-line/init-command.ts");
      const result = init({ ...args, log: logTo(terminal, "warn"), signal });
      return show(await untilInterrupted(result, signal), args, terminal, signal);
    }
    case "add": {
      const { add } = await import("./command-line/add-command.ts");
      return show(await add(args, logTo(terminal, "warn")), args, terminal, signal);
    }
    case "remove":
    case "enable":
    case "disable": {
      const { change } = await import("./command-line/change-command.ts");
      return show(await change(args), args, terminal, signal);
    }
    case "completion": {
      const { complete } = await import("./command-line/completion-command.ts");
      return show(await complete(args, signal), args, terminal, signal);
    }
    case "types": {
      const { runtimeOptions } = await import("./command-line/opened-runtime.ts");
      const { types } = await import("./command-line/types-command.ts");
      const log = args.verbose ? logTo(terminal, "debug") : undefined;
      const result = types({
        ...args,
        runtime: { ...runtimeOptions(args), log, signal },
        tellProblems: (report) => tellReport(report, args, terminal),
      });
      return show(await result, args, terminal, signal);
    }
    default: {
      const { runOnRuntime } = await import("./command-line/runtime-commands.ts");
      return runOnRuntime(args, {
        terminal,
        signal,
        log: args.verbose ? logTo(terminal, "debug") : undefined,
        tellProblems: (report) => tellReport(report, args, terminal),
        show: (result) => show(result, args, terminal, signal),
      });
    }
  }
}

/** `config parse` takes the folder for the name of a project, which may be on another machine. */
function worksInFolder(args: CommandArguments): boolean {
  if (args.command === "config") return args.action.kind !== "parse";
  return args.command !== "help" && args.command !== "version";
}

/** Refuses a mistyped folder: it has no servers, which would look as if all were well. */
function refuseMissingFolder({ cwd }: CommandArguments): void {
  if (cwd === undefined) return;
  try {
    if (fileSystem.statSync(cwd).isDirectory()) return;
  } catch {
    // A folder that cannot be read cannot be worked in either.
  }
  const message = `The folder ${cwd} of "--cwd" does not exist or is not a folder; correct the path.`;
  throw new McpError("MCP_CONFIG_NOT_FOUND", message, { phase: "config" });
}

async function config(
  args: CommandArguments & { readonly command: "config" },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { action, cwd, configFiles: files, servers, hosts, maxFileBytes } = args;
  const { listConfig, parseConfig } = await import("./command-line/config-command.ts");
  if (action.kind === "parse") {
    const parsed = parseConfig(action, { cwd, maxFileBytes });
    return show(await untilInterrupted(parsed, signal), args, terminal, signal);
  }
  const log = logTo(terminal, "warn");
  const listed = listConfig({ cwd, files, servers, hosts, maxFileBytes, log });
  const { found, ...result } = await untilInterrupted(listed, signal);
  tellProblems(found, args, terminal);
  return show(result, args, terminal, signal);
}

async function approveServers(
  args: CommandArguments & { readonly command: "approve" },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { cwd, configFiles: files, servers, hosts, maxFileBytes, server: name, yes } = args;
  const { approve } = await import("./command-line/approve-command.ts");
  const { found, ...result } = await approve({
    cwd,
    files,
    servers,
    hosts,
    maxFileBytes,
    name,
    yes,
    log: logTo(terminal, "warn"),
    terminal,
    stdin: terminal.stdin ?? process.stdin,
    signal,
  });
  tellProblems(found, args, terminal);
  return show(result, args, terminal, signal);
}

async function account(
  args: CommandArguments & { readonly command: "login" | "logout" },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { cwd, configFiles: files, servers, hosts, maxFileBytes, server: name, cache } = args;
  const { inputs, projectVariables } = args;
  const log = logTo(terminal, args.verbose ? "debug" : "warn");
  const told = (found: DiscoveredServers) => tellProblems(found, args, terminal);
  const places = { cwd, files, servers, hosts, maxFileBytes, inputs, projectVariables };
  const options = { ...places, name, cache, log, signal, tellProblems: told };
  const { login, logout } = await import("./command-line/login-command.ts");
  const result = args.command === "login" ? login({ ...args, ...options, terminal }) : logout(options);
  return show(await result, args, terminal, signal);
}

/** Prints a report, and the warnings about the environment, unless `--verbose` has logged them. */
function tellReport(report: McpReport, args: CommandArguments, terminal: Terminal): void {
  const warnings = [
    hasStateDirectory() ? undefined : NO_STATE_DIRECTORY_WARNING,
    connectDeadlineFault(process.env),
  ];
  for (const warning of warnings)
    if (!args.verbose && warning !== undefined) terminal.stderr.write(`warning: ${warning}\n`);
  tellProblems(report, args, terminal);
}

function tellProblems(
  { problems, diagnostics, discoveryError }: Pick<McpReport, "problems" | "diagnostics" | "discoveryError">,
  { verbose }: CommandArguments,
  { stderr }: Terminal,
): void {
  const remarks = diagnostics.filter(({ severity }) => severity !== "info" || verbose);
  const lines = [
    ...problems.map(({ error }) => errorText(error, stderr)),
    ...remarks.map((remark) => told(`${remark.severity}: ${withTypedOptions(placed(remark))}`, stderr)),
    ...(discoveryError === undefined ? [] : [errorText(discoveryError, stderr)]),
  ];
  // Each once, although several hosts may read the same file. One write for all: each is a system call.
  if (lines.length > 0) stderr.write([...new Set(lines)].join(""));
}

async function show(
  { json, text, error, exitCode }: CommandResult,
  args: CommandArguments,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  if (args.json) await print(documentText(json, error), terminal, signal);
  else await print(typeof text === "string" ? text : await text(pageOf(terminal.stdout)), terminal, signal);
  return exitCode;
}

async function print(text: string, terminal: Terminal, signal: AbortSignal): Promise<number> {
  await writeText(terminal, text, signal);
  return 0;
}

function logTo({ stderr }: Terminal, least: "debug" | "warn"): Logger {
  return (level, message, fields) => {
    if (least === "warn" && (level === "debug" || level === "info")) return;
    const detail = fields === undefined ? "" : ` ${printableJson(JSON.stringify(fields))}`;
    stderr.write(`${level}: ${printableMessage(message)}${detail}\n`);
  };
}

function errorText(error: McpError, stderr: Output): string {
  return told(`error: ${withTypedOptions(error.message)} (${error.code})`, stderr);
}

/** A message, broken into lines for a terminal. */
function told(message: string, stderr: Output): string {
  return `${messageLines(message, pageOf(stderr).columns, cellsOf)}\n`;
}

function readVersion(): string {
  const manifest = new URL("../package.json", import.meta.url);
  const { version } = JSON.parse(fileSystem.readFileSync(manifest, "utf8"));
  return version;
}
