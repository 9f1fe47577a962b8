import type { Mcp } from "jackfield";
import { withoutControls } from "./terminal-style.ts";

/** The whole start in one line, and one more for each server that was found and is not used. */
export function summarizeStart({ servers, report }: Pick<Mcp, "servers" | "report">): string[] {
  const all = servers();
  const tools = all.reduce((sum, server) => sum + server.tools, 0);
  const up = all.filter((server) => server.status === "ready").length;
  const took = Math.round(report.tookMs);
  return [
    `${tools} tools, ${up} of ${all.length} servers connected, usable after ${took} ms`,
    ...report.blocked.map(({ name, reason }) => withoutControls(`not used: ${name}: ${reason}`)),
  ];
}
