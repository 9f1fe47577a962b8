import type { DefinedIn, ServerSnapshot } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import { alignColumns, printableLine } from "./terminal.ts";

/** What a command has to say, and how it exits. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  readonly exitCode: number;
}

export function status(mcp: Mcp): CommandResult {
  const servers = mcp.servers();
  const isUp = (server: ServerSnapshot) =>
    server.error === undefined && ["ready", "idle"].includes(server.status);
  const isWell = servers.every(isUp) && mcp.report.problems.length === 0;
  return {
    json: { servers: servers.map(asJson), startedInMs: mcp.report.tookMs },
    text: servers.length === 0 ? NOTHING_CONFIGURED : table(servers, mcp.report.tookMs),
    exitCode: isWell ? 0 : 1,
  };
}

const NOTHING_CONFIGURED =
  "No server is configured. Name a file with --config FILE, or a server with --mcp-server NAME=JSON.\n";

function asJson(server: ServerSnapshot) {
  const { name, status, transport, tools, toolsFrom, definedIn, error } = server;
  return { name, status, transport, tools, toolsFrom, definedIn, error };
}

function table(servers: readonly ServerSnapshot[], tookMs: number): string {
  const head = ["SERVER", "STATUS", "TRANSPORT", "TOOLS", "FROM", "DEFINED IN"];
  const rows = servers.map((server) => [
    printableLine(server.name, 40),
    server.status,
    server.transport ?? "?",
    String(server.tools),
    server.toolsFrom,
    place(server.definedIn),
  ]);
  const errors = servers.flatMap(({ name, error }) =>
    error === undefined
      ? []
      : [
          `\n${printableLine(name, 40)}: ${printableLine(error.message, 1_000)} (${error.code})${stderrOf(error.stderr)}\n`,
        ],
  );
  return `${alignColumns([head, ...rows])}${errors.join("")}\nstarted in ${tookMs} ms\n`;
}

function stderrOf(stderr: string | undefined): string {
  const lines = stderr?.trim().split("\n").slice(-5) ?? [];
  return lines.map((line) => `\n  | ${printableLine(line, 200)}`).join("");
}

function place({ file, line, scope }: DefinedIn): string {
  if (file === undefined) return scope;
  return line === undefined ? file : `${file}:${line}`;
}
