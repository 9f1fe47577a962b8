import { OWN_VARIABLES, type VariableDialect } from "../variables.ts";
import { CLAUDE_CODE } from "./claude-code.ts";
import { CLAUDE_DESKTOP } from "./claude-desktop.ts";
import { CLAUDE_PLUGIN } from "./claude-plugin.ts";
import { CODEX } from "./codex.ts";
import { CURSOR } from "./cursor.ts";
import { GEMINI } from "./gemini.ts";
import type { HostDialect } from "./host-dialect.ts";
import { JACKFIELD } from "./jackfield.ts";
import { OPENCODE } from "./opencode.ts";
import { VSCODE } from "./vscode.ts";

/** Every host whose files can be read, in the order in which they count where several are asked for as `all`. */
export const HOST_DIALECTS: readonly HostDialect[] = [
  JACKFIELD,
  CLAUDE_CODE,
  CLAUDE_PLUGIN,
  CLAUDE_DESKTOP,
  CURSOR,
  VSCODE,
  CODEX,
  GEMINI,
  OPENCODE,
];

/** The dialect of a host, if it is known. */
export function dialectOf(host: string): HostDialect | undefined {
  return HOST_DIALECTS.find(({ id }) => id === host);
}

/** How entries of a host refer to variables. What belongs to no host is in Jackfield's own dialect. */
export function variablesOf(host: string | undefined): VariableDialect {
  return (host === undefined ? undefined : dialectOf(host)?.variables) ?? OWN_VARIABLES;
}

/** What every host is named by. */
export const HOST_IDS: readonly string[] = HOST_DIALECTS.map(({ id }) => id);
