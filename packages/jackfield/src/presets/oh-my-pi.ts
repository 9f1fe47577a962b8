import { NAMING_PRESETS, RETRY_PRESETS } from "@jackfield/mcp-manager";
import { callLimits } from "./call-limits.ts";
import { durationVariable, type Variables } from "./duration-variable.ts";
import type { RuntimePreset } from "./runtime-preset.ts";

/**
 * Behaves as oh-my-pi's `MCPManager`: start-up waits at most a quarter of a second, and slower servers are offered later; five attempts,
 * then slow probes of remote servers; names as `mcp__server_tool`; children see the whole environment; a variable that is not set stays as
 * it is written; values that begin with `!` are commands, in the user's files only; the servers of every host are found.
 *
 * @param env - source of `OMP_MCP_TIMEOUT_MS`, the time limit of a connection and a call in milliseconds, `0` = none. Default `process.env`
 */
export function ohMyPi(env: Variables = process.env): RuntimePreset {
  const timeoutMs = durationVariable(env, "OMP_MCP_TIMEOUT_MS", 0) ?? 30_000;
  return {
    startup: { gateMs: 250, uncached: "later", failures: "keep" },
    retry: RETRY_PRESETS["oh-my-pi"],
    naming: NAMING_PRESETS["oh-my-pi"],
    limits: { connectTimeoutMs: timeoutMs, ...callLimits(timeoutMs) },
    inheritEnv: true,
    missingVariable: "literal",
    runCommands: true,
    discover: { hosts: "all" },
    closeTimeoutMs: 3_000,
  };
}
