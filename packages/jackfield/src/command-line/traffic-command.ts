import { isRecord, McpError, type Session } from "@jackfield/mcp-core";
import type { Traffic } from "@jackfield/mcp-transports";
import type { CommandArguments } from "./arguments.ts";
import { untilInterrupted } from "./interruption.ts";
import { startLazyServers } from "./lazy-servers.ts";
import { openRuntime } from "./opened-runtime.ts";
import { type Page, pageOf } from "./page.ts";
import type { RuntimeCommandOptions } from "./runtime-commands.ts";
import { printable, printableJson } from "./terminal.ts";
import { refuseUnknownServer } from "./tools-command.ts";

type TrafficArguments = CommandArguments & { readonly command: "logs" | "tap" };

/**
 * Starts one server, and prints what it says as it comes: `logs` its standard error and its log messages, `tap` every message in both
 * directions. With `follow` until Ctrl+C or the server ends, else until it has listed its tools. With `--json`, a document a line.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN`, and why the server did not start
 */
export async function listen(args: TrafficArguments, options: RuntimeCommandOptions): Promise<number> {
  const { terminal, signal, log } = options;
  const { server, follow, timeoutMs, json, command } = args;
  const page = pageOf(terminal.stdout);
  const shown = command === "logs" ? logLine : tapLine;
  const onTraffic = (traffic: Traffic) => {
    const line = traffic.server === server ? shown(traffic, page, json) : undefined;
    if (line !== undefined) terminal.stdout.write(`${line}\n`);
  };
  const startup = { lazy: true };
  // A session may end before it is asked to wait for that.
  const ended = Promise.withResolvers<void>();
  const onSession = (session: Session) => {
    session.onClose(() => ended.resolve());
    if (command === "logs") askForLogs(session, signal);
  };
  const quiet = { ...args, verbose: true };
  await using runtime = await openRuntime(quiet, { terminal, signal, startup, log, onTraffic, onSession });
  const { mcp } = runtime;
  await refuseUnknownServer(mcp, server, args);
  const isWanted = ({ name }: { readonly name: string }) => name === server;
  const [failed] = await startLazyServers(mcp, signal, { isWanted, timeoutMs });
  const broken = mcp.servers().find(isWanted)?.error;
  if (failed !== undefined) throw failed.error;
  if (broken !== undefined) throw new McpError(broken.code, broken.message, { server });
  if (follow) await untilInterrupted(ended.promise, signal);
  return 0;
}

/** Many servers say nothing below a level that nobody has set. */
function askForLogs(session: Session, signal: AbortSignal): void {
  if (session.handshake.capabilities.logging === undefined) return;
  session.request("logging/setLevel", { level: "debug" }, { signal }).catch(() => {});
}

function logLine({ from, text }: Traffic, page: Page, json: boolean): string | undefined {
  if (from === "stderr") return json ? documentOf({ from, text }) : printable(text);
  if (from === "client" || !text.includes('"notifications/message"')) return undefined;
  const { method, params } = JSON.parse(text);
  if (method !== "notifications/message" || !isRecord(params)) return undefined;
  const { level, logger, data } = params;
  if (json) return documentOf({ from: "server", level, logger, data });
  const said = typeof data === "string" ? data : JSON.stringify(data);
  const source = typeof logger === "string" ? `${logger}: ` : "";
  const tone = ["error", "critical", "alert", "emergency"].includes(String(level)) ? "bad" : "faint";
  return `${page.paint(tone, printable(String(level)))} ${printable(source + said)}`;
}

function tapLine({ from, text }: Traffic, page: Page, json: boolean): string {
  if (json) return documentOf(from === "stderr" ? { from, text } : { from, message: JSON.parse(text) });
  if (from === "stderr") return `${page.paint("warning", "!")} ${printable(text)}`;
  return `${page.paint(from === "client" ? "good" : "faint", from === "client" ? "→" : "←")} ${printable(text)}`;
}

function documentOf(content: object): string {
  return printableJson(JSON.stringify(content));
}
