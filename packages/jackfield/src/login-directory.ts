import { ownStateDirectory } from "./state-directory.ts";
import { homeUnknown } from "./unknown-home.ts";

/**
 * Where logins are kept.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if the user's home directory is unknown
 */
export function loginDirectory(): string {
  const directory = knownLoginDirectory();
  if (directory === undefined) throw homeUnknown("logins");
  return directory;
}

/** The same; `undefined` if the user's home directory is unknown: then there are no logins. */
export function knownLoginDirectory(): string | undefined {
  return ownStateDirectory("logins");
}
