import { NAMING_PRESETS, RETRY_PRESETS } from "@jackfield/mcp-manager";
import type { RuntimePreset } from "./runtime-preset.ts";

/**
 * Behaves as Claude Code: its own files are read, what is passed in code before those of the project, of the user and of plugins;
 * five retries from one second doubling to thirty, with jitter; names as `mcp__server__tool`; children see the whole environment;
 * variables as that host fills them in.
 *
 * @param env - where `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT` are looked up, the time limits of a connection and of a call in
 * milliseconds. Default `process.env`
 */
export function claudeCode(
  env: { readonly [name: string]: string | undefined } = process.env,
): RuntimePreset {
  return {
    startup: { uncached: "wait", failures: "keep" },
    retry: RETRY_PRESETS["claude-code"],
    naming: NAMING_PRESETS["claude-code"],
    limits: {
      connectTimeoutMs: durationFrom(env.MCP_TIMEOUT) ?? 30_000,
      callTimeoutMs: durationFrom(env.MCP_TOOL_TIMEOUT),
    },
    inheritEnv: true,
    missingVariable: "host",
    discover: { hosts: ["claude-code", "claude-plugin"] },
  };
}

function durationFrom(value: string | undefined): number | undefined {
  const durationMs = Number(value);
  return Number.isFinite(durationMs) && durationMs > 0 ? durationMs : undefined;
}
