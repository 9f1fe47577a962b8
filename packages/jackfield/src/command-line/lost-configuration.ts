import { McpError } from "@jackfield/mcp-core";
import type { McpReport } from "../mcp.ts";
import { isUnderWrongKey } from "../wrong-root-key.ts";
import { placed } from "./terminal.ts";

type Reading = Pick<McpReport, "problems" | "diagnostics" | "discoveryError">;

/** Whether all of the configuration could be read. If not, servers may be missing that nobody removed. */
export function isRead({ problems, diagnostics, discoveryError }: Reading): boolean {
  const isLossless = diagnostics.every(({ severity }) => severity !== "error");
  return problems.length === 0 && isLossless && discoveryError === undefined;
}

/** What is printed in place of an empty list of servers if not all of the configuration could be read. */
export const NOTHING_READ = "No server could be read; correct what is named above.\n";

/**
 * Why a whole file, or the search for files, failed, if one did. A list of servers or tools may then lack any number of them. A file whose
 * servers are all under a key that is not read counts as well.
 */
export function lostFile({ problems, diagnostics, discoveryError }: Reading): McpError | undefined {
  const problem = problems.find(({ server }) => server === undefined);
  const misplaced = diagnostics.find(isUnderWrongKey);
  if (discoveryError !== undefined || problem !== undefined) return discoveryError ?? problem?.error;
  return misplaced && new McpError("MCP_CONFIG_INVALID", placed(misplaced), { phase: "config" });
}

/** @throws McpError `MCP_CONFIG_INVALID` if `file` would be made from a configuration that could not all be read */
export function refuseUnread(reading: Reading, file: string): void {
  if (isRead(reading)) return;
  const message = `${file} was not written: not all of the configuration could be read, so servers may be missing. Correct it first.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", location: { file } });
}
