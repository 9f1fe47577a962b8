import { NAMING_PRESETS, RETRY_PRESETS } from "@jackfield/mcp-manager";
import { callLimits } from "./call-limits.ts";
import { durationVariable, type Variables } from "./duration-variable.ts";
import type { RuntimePreset } from "./runtime-preset.ts";

/**
 * Behaves as Claude Code: reads its own files, with precedence for servers passed in code, then those of the project, the user and plugins;
 * five retries, from one second doubling to thirty, with jitter; names as `mcp__server__tool`; a heartbeat for every server, child
 * processes too; children see the whole environment; variables are filled in as that host does.
 *
 * @param env - source of `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT`, the time limits of a connection and of a call in milliseconds. Default
 * `process.env`
 */
export function claudeCode(env: Variables = process.env): RuntimePreset {
  return {
    startup: { uncached: "wait", failures: "keep" },
    retry: RETRY_PRESETS["claude-code"],
    naming: NAMING_PRESETS["claude-code"],
    limits: {
      connectTimeoutMs: durationVariable(env, "MCP_TIMEOUT", 1) ?? 30_000,
      ...callLimits(durationVariable(env, "MCP_TOOL_TIMEOUT", 1)),
    },
    heartbeat: { intervalMs: 30_000 },
    inheritEnv: true,
    missingVariable: "host",
    discover: { hosts: ["claude-code", "claude-plugin"] },
  };
}
