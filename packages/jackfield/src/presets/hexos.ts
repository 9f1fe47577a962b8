import { NAMING_PRESETS, RETRY_PRESETS } from "@jackfield/mcp-manager";
import type { RuntimePreset } from "./runtime-preset.ts";

/**
 * Behaves as hexos' MCP manager: `openMcp` rejects if a server that is not lazy fails; three attempts in all, 250 ms doubling to 2 s;
 * tools by their own names; children see the whole environment; requests may take 30 s. Which agent may use which servers
 * (`allowedMcpServers`) is a view: `mcp.view({ servers })`.
 */
export function hexos(): RuntimePreset {
  return {
    startup: { uncached: "wait", failures: "throw" },
    retry: RETRY_PRESETS.hexos,
    naming: NAMING_PRESETS.hexos,
    limits: { connectTimeoutMs: 30_000, callTimeoutMs: 30_000 },
    inheritEnv: true,
    discover: false,
  };
}
