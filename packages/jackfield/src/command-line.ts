import type { LoadedServers } from "@jackfield/mcp-config";
import { isMcpError, type Logger, type McpError, toMcpError } from "@jackfield/mcp-core";
import { type CommandArguments, readArguments } from "./command-line/arguments.ts";
import type { CommandResult } from "./command-line/command-result.ts";
import { helpOn } from "./command-line/help.ts";
import { pageOf } from "./command-line/page.ts";
import { printable, type Terminal } from "./command-line/terminal.ts";

/** As a shell reports a program that was ended by Ctrl+C. */
const EXIT_INTERRUPTED = 130;

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

/** Each command loads what it needs when it is known: to load everything takes longer than most of them. */
async function run(args: CommandArguments, terminal: Terminal, signal: AbortSignal): Promise<number> {
  switch (args.command) {
    case "help":
      return write(terminal, helpOn(args.on));
    case "version":
      return write(terminal, `${readVersion()}\n`);
    case "config":
      return config(args, terminal);
    case "cache": {
      const { cache } = await import("./command-line/cache-command.ts");
      const log = logTo(terminal, args.verbose ? "debug" : "warn");
      return show(await cache(args.wanted, { directory: args.cache, log }), args, terminal);
    }
    case "approve":
      return approveServers(args, terminal, signal);
    case "login":
    case "logout":
      return account(args, terminal, signal);
    case "init": {
      const { init } = await import("./command-line/init-command.ts");
      return show(await init({ ...args, log: logTo(terminal, "warn") }), args, terminal);
    }
    case "types": {
      const { runtimeOptions } = await import("./command-line/opened-runtime.ts");
      const { types } = await import("./command-line/types-command.ts");
      const log = args.verbose ? logTo(terminal, "debug") : undefined;
      return show(
        await types({ ...args, runtime: { ...runtimeOptions(args), log, signal } }),
        args,
        terminal,
      );
    }
    default: {
      const { runOnRuntime } = await import("./command-line/runtime-commands.ts");
      return runOnRuntime(args, {
        terminal,
        signal,
        log: args.verbose ? logTo(terminal, "debug") : undefined,
        tellProblems: (report) => tellProblems(report, args, terminal),
        show: (result) => show(result, args, terminal),
      });
    }
  }
}

async function config(
  args: CommandArguments & { readonly command: "config" },
  terminal: Terminal,
): Promise<number> {
  const { wanted, cwd, configFiles: files, servers, discover } = args;
  const { listConfig, parseConfig } = await import("./command-line/config-command.ts");
  if (wanted.action === "parse") return show(await parseConfig(wanted, cwd), args, terminal);
  const hosts = discover ? args.hosts : [];
  const log = logTo(terminal, "warn");
  const { found, ...result } = await listConfig({ cwd, files, servers, hosts, log });
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
  const { approve } = await import("./command-line/approve-command.ts");
  const { found, ...result } = await approve({
    cwd,
    hosts: discover ? args.hosts : [],
    name,
    yes,
    log: logTo(terminal, "warn"),
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
  const { login, logout } = await import("./command-line/login-command.ts");
  const result = args.command === "login" ? login({ ...args, ...options, terminal }) : logout(options);
  return show(await result, args, terminal);
}

function tellProblems(
  { problems, diagnostics }: Pick<LoadedServers, "problems" | "diagnostics">,
  { verbose }: CommandArguments,
  { stderr }: Terminal,
): void {
  const remarks = diagnostics.filter(({ severity }) => severity !== "info" || verbose);
  const lines = [
    ...problems.map(({ error }) => errorText(error)),
    ...remarks.map(({ severity, message }) => `${severity}: ${printable(message)}\n`),
  ];
  // All at once: a file can be remarked on a hundred times, and the system is asked for each text that is written.
  if (lines.length > 0) stderr.write(lines.join(""));
}

async function show(result: CommandResult, args: CommandArguments, terminal: Terminal): Promise<number> {
  const { json, text, exitCode } = result;
  if (args.json) await write(terminal, `${JSON.stringify(json, undefined, 2)}\n`);
  else await write(terminal, typeof text === "string" ? text : await text(pageOf(terminal.stdout)));
  return exitCode;
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

function readVersion(): string {
  // Not imported: an import would copy all that the module exports, and load streams on the way.
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version;
}
