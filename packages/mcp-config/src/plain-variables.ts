import type { DefinedIn } from "@jackfield/mcp-core";

/** What Continue's blocks in JSON call plain variables: a field of `extra` that Jackfield works out from `env`, and no file has. */
export const PLAIN_VARIABLES = "plainVariables";

/** Whether that field of an entry is worked out. In an entry of any other file it is one like any other. */
export function hasPlainVariables({ host, file = "" }: DefinedIn): boolean {
  return host === "continue" && /\.jsonc?$/i.test(file);
}
