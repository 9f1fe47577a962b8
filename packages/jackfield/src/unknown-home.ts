import { McpError } from "@jackfield/mcp-core";
import { ownStateDirectory } from "./state-directory.ts";

/** What a missing state directory means, for messages. */
export const NO_STATE_DIRECTORY =
  "This user's home directory is unknown, so the catalog, approvals and logins are not stored";

/** The one warning about it. */
export const NO_STATE_DIRECTORY_WARNING = `${NO_STATE_DIRECTORY}; set JACKFIELD_HOME to a folder for them.`;

/** Whether this process has a directory for state between runs. */
export function hasStateDirectory(): boolean {
  return ownStateDirectory("") !== undefined;
}

/** The error for something that has no place because `ownStateDirectory` returns `undefined`. */
export function homeUnknown(what: string): McpError {
  const message = `This user's home directory is unknown, so ${what} cannot be stored; set JACKFIELD_HOME to a folder.`;
  return new McpError("MCP_STORAGE_FAILED", message, { phase: "config" });
}
