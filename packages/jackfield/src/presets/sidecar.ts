import { NAMING_PRESETS, RETRY_PRESETS } from "@jackfield/mcp-manager";
import type { RuntimePreset } from "./runtime-preset.ts";

/** The most a timer can wait, 24.8 days: every server has a connect deadline of its own, and whoever has none is waited for. */
const UNTIL_SETTLED_MS = 2_147_483_647;

/**
 * Behaves as SideCar's `MCPManager` was meant to: start-up waits until every server has settled; retries after 2, 5 and 15 s and
 * then gives up; names as `mcp_server_tool`; children see a short list of variables; a variable that is not set is empty; results for
 * models are cut at 50,000 characters and enclosed in markers. Trust of the workspace is the caller's to say, with `trust`, and
 * so is the approval of calls: give adapters `approval: "always"`.
 */
export function sideCar(): RuntimePreset {
  return {
    startup: { uncached: "wait", staleAfterMs: 0, gateMs: UNTIL_SETTLED_MS, failures: "keep" },
    retry: RETRY_PRESETS.sidecar,
    naming: NAMING_PRESETS.sidecar,
    inheritEnv: ["TMPDIR", "TEMP", "TMP", "TERM", "LANG", "LC_ALL", "SHELL"],
    missingVariable: "empty",
    guards: { limits: { maxResultChars: 50_000 }, mark: true },
    closeTimeoutMs: 10_000,
  };
}
