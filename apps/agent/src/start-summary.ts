import type { Mcp } from "jackfield";
import { describeError } from "./error-line.ts";
import { withoutControls } from "./terminal-style.ts";

/** The start in one line, and one more for each file that could not be read and each server that is not used. */
export function summarizeStart({ servers, report }: Pick<Mcp, "servers" | "report">): string[] {
  const all = servers();
  const tools = all.reduce((sum, server) => sum + server.tools, 0);
  const up = all.filter((server) => server.status === "ready").length;
  const took = Math.round(report.tookMs);
  const unread = [report.discoveryError, ...report.problems.map(({ error }) => error)];
  return [
    `${tools} tools, ${up} of ${all.length} servers connected, usable after ${took} ms`,
    ...unread.flatMap((error) => (error === undefined ? [] : [`not read: ${describeError(error)}`])),
    ...report.blocked.map(({ name, reason }) => withoutControls(`not used: ${name}: ${reason}`)),
  ];
}
