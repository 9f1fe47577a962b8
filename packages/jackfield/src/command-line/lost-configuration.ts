import { McpError } from "@jackfield/mcp-core";
import type { McpReport } from "../mcp.ts";

type Reading = Pick<McpReport, "problems" | "diagnostics" | "discoveryError">;

/** Whether all of the configuration could be read. Where not, servers may be missing that nobody has taken away. */
export function isRead({ problems, diagnostics, discoveryError }: Reading): boolean {
  const isLossless = diagnostics.every(({ severity }) => severity !== "error");
  return problems.length === 0 && isLossless && discoveryError === undefined;
}

/** Whether a file, or the search for files, was lost as a whole. What lists servers or tools may lack any number of them then. */
export function isFileLost({
  problems,
  discoveryError,
}: Pick<Reading, "problems" | "discoveryError">): boolean {
  return discoveryError !== undefined || problems.some(({ server }) => server === undefined);
}

/** @throws McpError `MCP_CONFIG_INVALID` where a file would be made of configuration that could not all be read */
export function refuseUnread(reading: Reading, file: string): void {
  if (isRead(reading)) return;
  const message = `${file} was not written: not all of the configuration could be read, so servers may be missing. Correct it first.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", location: { file } });
}
