import type { DefinedIn } from "@jackfield/mcp-core";

/** The field of `extra` with the variables of a Continue JSON block that are not secrets. Jackfield derives it; no file has it. */
export const PLAIN_VARIABLES = "plainVariables";

/** Whether that field of an entry is derived. In an entry of any other file it is an ordinary field. */
export function hasPlainVariables({ host, file = "" }: DefinedIn): boolean {
  return host === "continue" && /\.jsonc?$/i.test(file);
}
