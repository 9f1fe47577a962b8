import { McpError } from "@jackfield/mcp-core";
import { ownStateDirectory } from "./state-directory.ts";

/** The consequence of `isNothingKept`, for messages. */
export const NOTHING_IS_KEPT =
  "Nobody knows this user's home directory, so what belongs there (catalog, approvals, logins, records of running servers) is not kept";

/** The one warning about it. */
export const NOTHING_IS_KEPT_WARNING = `${NOTHING_IS_KEPT}; name a folder for it in JACKFIELD_HOME.`;

/** Whether this process has no directory for state between runs. */
export function isNothingKept(): boolean {
  return ownStateDirectory("") === undefined;
}

/** The error for something that has no place because `ownStateDirectory` returns `undefined`. */
export function homeUnknown(what: string): McpError {
  const message = `Nobody knows this user's home directory, so ${what} cannot be kept; name a folder in JACKFIELD_HOME.`;
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
