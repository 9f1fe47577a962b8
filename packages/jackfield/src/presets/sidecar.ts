import { NAMING_PRESETS, RETRY_PRESETS } from "@jackfield/mcp-manager";
import type { RuntimePreset } from "./runtime-preset.ts";

/**
 * Behaves as SideCar's `MCPManager` was meant to: start-up waits until every server has settled; retries after 2, 5 and 15 s and then gives
 * up; names as `mcp_server_tool`; children see a short list of variables; a variable that is not set is empty; results for models are cut
 * at 50,000 characters and enclosed in markers. The caller decides on trust of the workspace, with `trust`, and on approval of calls: give
 * adapters `approval: "always"`.
 */
export function sideCar(): RuntimePreset {
  return {
    startup: { uncached: "wait", staleAfterMs: 0, gateMs: Number.POSITIVE_INFINITY, failures: "keep" },
    retry: RETRY_PRESETS.sidecar,
    naming: NAMING_PRESETS.sidecar,
    inheritEnv: ["TMPDIR", "TEMP", "TMP", "TERM", "LANG", "LC_ALL", "SHELL"],
    missingVariable: "empty",
    guards: { limits: { maxResultChars: 50_000 }, mark: true },
    closeTimeoutMs: 10_000,
  };
}
