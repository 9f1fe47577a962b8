import type { ServerSnapshot } from "@jackfield/mcp-core";
import type { BlockedReport } from "../blocked-servers.ts";
import type { Mcp } from "../mcp.ts";
import { isPlainName } from "../searched-places.ts";
import { cellsOf, fitCells } from "./cells.ts";
import type { CommandResult } from "./command-result.ts";
import { durationText } from "./duration-text.ts";
import { type FailedStart, startLazyServers } from "./lazy-servers.ts";
import { counted, placeOf, printableLine, printableName, withLines } from "./lines.ts";
import { isRead, lostFile, NOTHING_READ } from "./lost-configuration.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";
import type { Page } from "./page.ts";
import { needOf, wordOf } from "./server-words.ts";
import { alignColumns, tableOn } from "./table.ts";
import { messageLines } from "./terminal.ts";
import { refuseUnknownServer } from "./tools-command.ts";
import { withTypedOptions } from "./typed-options.ts";

/** The places are for the commands that are advised. */
export interface StatusOptions extends CommandPlaces {
  /** Default: all servers. */
  readonly server?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. Default: now. */
  readonly now?: number | undefined;
}

/**
 * Which servers are up, and what the others need. Exits with 1 if a server is not up, or not all of the configuration could be read.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN`
 */
export async function status(
  mcp: Pick<Mcp, "servers" | "report" | "reconnect" | "refreshTools">,
  { server, timeoutMs, signal, now = Date.now(), ...places }: StatusOptions,
): Promise<CommandResult> {
  const isAsked = ({ name }: { readonly name: string }) => server === undefined || name === server;
  const blocked = mcp.report.blocked.filter((one) => isSwitchedOff(one) && isAsked(one));
  const started = performance.now();
  let late: readonly FailedStart[] = [];
  if (server !== undefined) {
    if (blocked.length === 0) await refuseUnknownServer(mcp, server, places);
    late = await startLazyServers(mcp, signal, { isWanted: isAsked, timeoutMs });
  }
  /** One that goes on connecting has failed all the same: it was not up in time. */
  const inTime = (one: ServerSnapshot): ServerSnapshot => {
    const error = late.find(({ name }) => name === one.name)?.error;
    if (one.status !== "connecting" || error === undefined) return one;
    return { ...one, error: { code: error.code, message: error.message, at: now } };
  };
  const startedInMs = server === undefined ? mcp.report.tookMs : Math.round(performance.now() - started);
  const servers = (await withLines(mcp.servers().filter(isAsked).map(inTime))).map(withTypedMessage);
  const isUp = (one: ServerSnapshot) => one.error === undefined && ["ready", "idle"].includes(one.status);
  const isWell = servers.every(isUp) && (server !== undefined || isRead(mcp.report));
  const off = (await withLines(blocked)).map(({ by: _by, ...one }) => one);
  return {
    json: { servers: servers.map((one) => asJson(one, now)), off, startedInMs },
    text:
      servers.length + off.length === 0
        ? nothingListed(mcp.report)
        : (page) => textOf(servers, off, { page, places, startedInMs }),
    error: server === undefined ? lostFile(mcp.report) : undefined,
    exitCode: isWell ? 0 : 1,
  };
}

/** Whether its entry, or a switch by its name, keeps it off, and nothing else does. */
function isSwitchedOff({ by }: BlockedReport): boolean {
  return by === "disabled" || by === "disabledServers";
}

type OffServer = Omit<BlockedReport, "by">;

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
  return { name, status, needs: needOf(server), uptimeMs, transport, tools, toolsFrom, definedIn, error };
}

const HEAD = ["SERVER", "STATUS", "TOOLS", "DEFINED IN"];

interface Printing {
  readonly page: Page;
  readonly places: CommandPlaces;
  readonly startedInMs: number;
}

function textOf(
  servers: readonly ServerSnapshot[],
  off: readonly OffServer[],
  { page, places, startedInMs }: Printing,
): string {
  const rows = servers.map((server) => [
    printableName(server.name),
    shownWord(server),
    server.toolsFrom === "none" ? "" : String(server.tools),
    placeOf(server.definedIn),
  ]);
  const offRows = off.map(({ name, definedIn }) => [printableName(name), "off", "", placeOf(definedIn)]);
  const words = new Set(rows.map(([, word = ""]) => word));
  const tones = Object.fromEntries([...words].map((word) => [word, toneOf(word)]));
  const table = alignColumns(
    [HEAD, ...rows, ...offRows],
    tableOn(page, { tones, keepsEnd: [HEAD.length - 1] }),
  );
  const told = [...reasons(servers, page), ...offReasons(off, page), ...advice(servers, page, places)];
  return `${table}${told.map((text) => `\n${text}\n`).join("")}\n${summary(servers, off, startedInMs)}\n`;
}

function shownWord(server: ServerSnapshot): string {
  return printableName(wordOf(server), 60);
}

function toneOf(word: string): "good" | "bad" | "warning" | "faint" {
  if (word === "ready") return "good";
  return word === "failed" ? "bad" : word === "on demand" ? "faint" : "warning";
}

/** Why servers have failed; each with the last line of its standard error. What a server needs is said in its row. */
function reasons(servers: readonly ServerSnapshot[], { columns }: Page): readonly string[] {
  return servers.flatMap((server) => {
    const { name, error } = server;
    if (error === undefined || ["approval", "login"].includes(needOf(server) ?? "")) return [];
    const text = `${printableName(name, 40)}: ${fitCells(error.message, 1_000)} (${error.code})`;
    const last = error.stderr?.trim().split("\n").slice(-3) ?? [];
    const lines = last.map((line) => `\n  | ${printableLine(line, Math.min(200, columns - 4))}`);
    return [messageLines(text, columns, cellsOf) + lines.join("")];
  });
}

/** Why servers are off, each reason once. */
function offReasons(off: readonly OffServer[], { columns }: Page): readonly string[] {
  const groups = Map.groupBy(off, ({ reason }) => reason);
  return [...groups].map(([reason, servers]) => {
    const names = servers.map(({ name }) => printableName(name, 40)).join(", ");
    return messageLines(`${names}: ${fitCells(reason, 1_000)}`, columns, cellsOf);
  });
}

/** What to do about all servers that need the same. */
function advice(
  servers: readonly ServerSnapshot[],
  { columns }: Page,
  places: CommandPlaces,
): readonly string[] {
  const waiting = servers.filter((server) => needOf(server) === "approval");
  const out = servers.filter((server) => needOf(server) === "login");
  const command = (verb: string, needing: readonly ServerSnapshot[], rest: string) => {
    const [only] = needing.length === 1 ? needing : [];
    return nextCommand(
      [verb, only !== undefined && isPlainName(only.name) ? only.name : rest].join(" ").trim(),
      places,
    );
  };
  const lines = [
    ...(waiting.length === 0
      ? []
      : [`Review what this project brings with: ${command("approve", waiting, "")}`]),
    ...(out.length === 0 ? [] : [`Log in with: ${command("login", out, "NAME")}`]),
  ];
  return lines.map((line) => messageLines(line, columns, cellsOf));
}

function summary(servers: readonly ServerSnapshot[], off: readonly OffServer[], startedInMs: number): string {
  const counts = Map.groupBy(servers, (server) => {
    const word = wordOf(server);
    return word.startsWith("needs ") && !/ (?:approval|login)$/.test(word) ? "needs a variable" : word;
  });
  const parts = [...counts].map(([word, group]) => `${group.length} ${word}`);
  if (off.length > 0) parts.push(`${off.length} off`);
  return `${counted(servers.length + off.length, "server")}: ${parts.join(", ")}; ${durationText(startedInMs)}`;
}
