import { OWN_VARIABLES, type VariableDialect } from "../variables.ts";
import { AGENT_PLUGINS } from "./agent-plugins.ts";
import { AMP } from "./amp.ts";
import { CLAUDE_CODE } from "./claude-code.ts";
import { CLAUDE_DESKTOP } from "./claude-desktop.ts";
import { CLAUDE_PLUGIN } from "./claude-plugin.ts";
import { CLINE } from "./cline.ts";
import { CODEX } from "./codex.ts";
import { CONTINUE } from "./continue.ts";
import { COPILOT_CLI } from "./copilot-cli.ts";
import { CRUSH } from "./crush.ts";
import { CURSOR } from "./cursor.ts";
import { GEMINI } from "./gemini.ts";
import { GOOSE } from "./goose.ts";
import type { HostDialect } from "./host-dialect.ts";
import { INSPECTOR } from "./inspector.ts";
import { JACKFIELD } from "./jackfield.ts";
import { JUNIE } from "./junie.ts";
import { KIRO } from "./kiro.ts";
import { LM_STUDIO } from "./lm-studio.ts";
import { MCPB } from "./mcpb.ts";
import { MCPORTER } from "./mcporter.ts";
import { OMP } from "./omp.ts";
import { OPENCODE } from "./opencode.ts";
import { REGISTRY } from "./registry.ts";
import { ROO } from "./roo.ts";
import { SEP_2633 } from "./sep-2633.ts";
import { VSCODE } from "./vscode.ts";
import { VSCODE_MCP_JSON } from "./vscode-mcp-json.ts";
import { WARP } from "./warp.ts";
import { WINDSURF } from "./windsurf.ts";
import { ZED } from "./zed.ts";

/** Every supported host, in the order of precedence that `all` has. */
export const HOST_DIALECTS: readonly HostDialect[] = [
  JACKFIELD,
  CLAUDE_CODE,
  CLAUDE_DESKTOP,
  CURSOR,
  VSCODE,
  CODEX,
  GEMINI,
  OPENCODE,
  WINDSURF,
  ZED,
  COPILOT_CLI,
  CLINE,
  ROO,
  CONTINUE,
  AMP,
  GOOSE,
  KIRO,
  LM_STUDIO,
  JUNIE,
  WARP,
  CRUSH,
  OMP,
  MCPORTER,
  INSPECTOR,
  CLAUDE_PLUGIN,
  VSCODE_MCP_JSON,
  AGENT_PLUGINS,
  MCPB,
  REGISTRY,
  SEP_2633,
];

const BY_ID: ReadonlyMap<string, HostDialect> = new Map(
  HOST_DIALECTS.map((dialect) => [dialect.id, dialect]),
);

/** The dialect of a host, if it is known. */
export function dialectOf(host: string): HostDialect | undefined {
  return BY_ID.get(host);
}

/** The variable dialect of a host; Jackfield's own where the host is missing or unknown. */
export function variablesOf(host: string | undefined): VariableDialect {
  return (host === undefined ? undefined : dialectOf(host)?.variables) ?? OWN_VARIABLES;
}

/** The ids of all supported hosts. */
export const HOST_IDS: readonly string[] = HOST_DIALECTS.map(({ id }) => id);
