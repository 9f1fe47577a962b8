import type { ErrorReport, ServerSnapshot } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import { cellsOf, fitCells } from "./cells.ts";
import type { CommandResult } from "./command-result.ts";
import { durationText } from "./duration-text.ts";
import { placeOf, printableLine, printableName } from "./lines.ts";
import { isRead, NOTHING_READ } from "./lost-configuration.ts";
import type { Page } from "./page.ts";
import { alignColumns, tableOn } from "./table.ts";
import { messageLines } from "./terminal.ts";
import { withTypedOptions } from "./typed-options.ts";

/**
 * Which servers are up, for how long, and why the others are not. Exits with 1 if a server is not up, or not all of the configuration could
 * be read.
 *
 * @param now - epoch milliseconds
 */
export function status(mcp: Pick<Mcp, "servers" | "report">, now = Date.now()): CommandResult {
  const servers = mcp.servers().map(withTypedMessage);
  const isUp = (server: ServerSnapshot) =>
    server.error === undefined && ["ready", "idle"].includes(server.status);
  const isWell = servers.every(isUp) && isRead(mcp.report);
  return {
    json: { servers: servers.map((server) => asJson(server, now)), startedInMs: mcp.report.tookMs },
    text:
      servers.length === 0
        ? nothingListed(mcp.report)
        : (page) => table(servers, mcp.report.tookMs, page, now),
    exitCode: isWell ? 0 : 1,
  };
}

const NOTHING_CONFIGURED = `No server is configured. Write a first file with "jackfield init", name one with --config FILE, or a server with
--mcp-server NAME=JSON.
`;

function nothingListed(report: Mcp["report"]): string {
  return isRead(report) ? NOTHING_CONFIGURED : NOTHING_READ;
}

function withTypedMessage(server: ServerSnapshot): ServerSnapshot {
  const { error } = server;
  if (error === undefined) return server;
  return { ...server, error: { ...error, message: withTypedOptions(error.message) } };
}

function asJson(server: ServerSnapshot, now: number) {
  const { name, status, transport, tools, toolsFrom, definedIn, error } = server;
  const uptimeMs = status === "ready" ? Math.max(0, now - server.since) : undefined;
  return { name, status, uptimeMs, transport, tools, toolsFrom, definedIn, error };
}

const HEAD = ["SERVER", "STATUS", "UP", "TRANSPORT", "TOOLS", "FROM", "DEFINED IN"];
const TONES = { ready: "good", failed: "bad", backoff: "warning", connecting: "warning" } as const;

function table(servers: readonly ServerSnapshot[], tookMs: number, page: Page, now: number): string {
  const rows = servers.map((server) => [
    printableName(server.name),
    server.status,
    server.status === "ready" ? durationText(now - server.since) : "",
    server.transport ?? "?",
    String(server.tools),
    server.toolsFrom,
    placeOf(server.definedIn),
  ]);
  const errors = servers.flatMap(({ name, error }) =>
    error === undefined ? [] : [errorLines(name, error, page)],
  );
  const options = tableOn(page, { tones: TONES, keepsEnd: [HEAD.length - 1] });
  return `${alignColumns([HEAD, ...rows], options)}${errors.join("")}\nstarted in ${tookMs} ms\n`;
}

function errorLines(name: string, { message, code, stderr }: ErrorReport, { columns }: Page): string {
  const text = `${printableName(name, 40)}: ${fitCells(message, 1_000)} (${code})`;
  return `\n${messageLines(text, columns, cellsOf)}${stderrOf(stderr, columns)}\n`;
}

function stderrOf(stderr: string | undefined, columns: number): string {
  const lines = stderr?.trim().split("\n").slice(-5) ?? [];
  return lines.map((line) => `\n  | ${printableLine(line, Math.min(200, columns - 4))}`).join("");
}
