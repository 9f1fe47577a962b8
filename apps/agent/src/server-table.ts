import type { ServerSnapshot, ServerStatus } from "@jackfield/mcp-core";
import stringWidth from "string-width";
import { fillLine, wrapLines } from "./screen.ts";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

/** How the table is shown. */
export interface TableLayout {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Cells in a line. */
  readonly columns: number;
  readonly style: TerminalStyle;
}

const HEADINGS = ["server", "status", "since", "tools", "calls"] as const;
const FINE: readonly ServerStatus[] = ["ready", "idle", "connecting"];
const GAP = "  ";
const NARROWEST_NAME = 8;

/** One row for each server, followed by its last error, wrapped to the width. */
export function describeServers(servers: readonly ServerSnapshot[], layout: TableLayout): string[] {
  if (servers.length === 0) return ["There are no servers."];
  const { columns, style } = layout;
  const rows = servers.map((server) => cellsOf(server, layout));
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => stringWidth(row[column] ?? ""))),
  );
  const rest = widths.slice(1).reduce((sum, width) => sum + GAP.length + width, 0);
  widths[0] = Math.min(widths[0] ?? 0, Math.max(NARROWEST_NAME, columns - rest));
  const pad = (cells: readonly string[]) => cells.map((cell, column) => fillLine(cell, widths[column] ?? 0));
  return [
    style.dim(pad(HEADINGS).join(GAP).trimEnd()),
    ...servers.flatMap((server, index) => {
      const [name = "", status = "", ...others] = pad(rows[index] ?? []);
      const paint = FINE.includes(server.status) ? style.good : style.bad;
      return [[name, paint(status), ...others].join(GAP).trimEnd(), ...errorLines(server, layout)];
    }),
  ];
}

function cellsOf(server: ServerSnapshot, { now }: TableLayout): string[] {
  const { name, status, since, tools, toolsFrom, calls, failures } = server;
  return [
    withoutControls(name),
    status,
    describeDuration(now - since),
    toolsFrom === "none" ? "none" : `${tools} ${toolsFrom}`,
    failures === 0 ? String(calls) : `${calls}, ${failures} failed`,
  ];
}

function errorLines({ error, retryAt }: ServerSnapshot, { now, columns, style }: TableLayout): string[] {
  if (error === undefined) return [];
  const next = retryAt === undefined ? "" : ` Next try in ${describeWait(retryAt, now)}.`;
  const text = withoutControls(`${error.code}: ${error.message}${next}`);
  return wrapLines(text, columns, GAP).map((line) => style.bad(line));
}

/** The time until something happens, at least 1 s. */
export function describeWait(at: number | undefined, now: number): string {
  return describeDuration(Math.max(1_000, (at ?? now) - now));
}

/** A duration in its largest unit; never negative. */
export function describeDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
