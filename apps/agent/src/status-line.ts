import type { ServerSnapshot, ServerStatus, ToolsFrom } from "@jackfield/mcp-core";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

/** What the agent shows of a start-up report. */
export interface StartReport {
  readonly tookMs: number;
  /** Servers that may not run, and why, if it is known. */
  readonly blocked: readonly { readonly name: string; readonly reason?: string | undefined }[];
}

const TOOLS_FROM: { readonly [K in ToolsFrom]: string } = {
  live: "live",
  cache: "from the cache",
  stale: "from the cache, stale",
  none: "none yet",
};

const FINE: readonly ServerStatus[] = ["ready", "idle", "connecting"];

/** One line for the whole start: how many servers, how many tools, how long. */
export function summarizeStart(servers: readonly ServerSnapshot[], report: StartReport): string {
  const tools = servers.reduce((sum, server) => sum + server.tools, 0);
  const up = servers.filter((server) => server.status === "ready").length;
  const took = Math.round(report.tookMs);
  return `${tools} tools, ${up} of ${servers.length} servers connected, usable after ${took} ms`;
}

/** One line for each server: whether it is up, how many tools it has, where they come from. */
export function describeServers(
  servers: readonly ServerSnapshot[],
  report: Pick<StartReport, "blocked">,
  style: TerminalStyle,
): string[] {
  const blocked = report.blocked.map(
    ({ name, reason }) =>
      `${style.bad("blocked")} ${withoutControls(name)}${reason === undefined ? "" : `: ${withoutControls(reason)}`}`,
  );
  return [...servers.map((server) => describeServer(server, style)), ...blocked];
}

function describeServer(server: ServerSnapshot, style: TerminalStyle): string {
  const paint = FINE.includes(server.status) ? style.good : style.bad;
  const tools = style.dim(`${server.tools} tools, ${TOOLS_FROM[server.toolsFrom]}`);
  const line = `${paint(server.status)} ${withoutControls(server.name)} (${server.transport}) ${tools}`;
  if (server.error === undefined) return line;
  return `${line}\n  ${server.error.code}: ${withoutControls(server.error.message)}`;
}
