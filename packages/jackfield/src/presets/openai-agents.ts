import { NAMING_PRESETS, RETRY_PRESETS } from "@jackfield/mcp-manager";
import { callLimits } from "./call-limits.ts";
import type { RuntimePreset } from "./runtime-preset.ts";

/** The options of `MCPServerManager` of the OpenAI Agents SDK. */
export interface OpenaiAgentsOptions {
  /** The first failure makes `openMcp` reject, once everything is closed (`strict`). Default `false`. */
  readonly strict?: boolean | undefined;
  /** Servers that fail are dropped until `reconnect(undefined, { only: "failed" })` (`dropFailed`). Default `true`. */
  readonly dropFailed?: boolean | undefined;
  /** How long a connection may take, in milliseconds (`connectTimeoutMs`). Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long closing may take, in milliseconds (`closeTimeoutMs`). Default 10,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** How long a request may take, in milliseconds (`client_session_timeout_seconds`). Default 5,000. */
  readonly callTimeoutMs?: number | undefined;
}

/**
 * Behaves as `MCPServerManager` of the OpenAI Agents SDK: start-up waits for every server; one that fails is dropped and tried again
 * only on request; nothing is retried or remembered; names as `mcp_server__tool`.
 */
export function openaiAgents({
  strict = false,
  dropFailed = true,
  connectTimeoutMs = 10_000,
  closeTimeoutMs = 10_000,
  callTimeoutMs = 5_000,
}: OpenaiAgentsOptions = {}): RuntimePreset {
  const failures = strict ? "throw" : dropFailed ? "drop" : "keep";
  return {
    startup: { uncached: "wait", failures },
    retry: RETRY_PRESETS["openai-agents"],
    naming: NAMING_PRESETS["openai-agents"],
    limits: { connectTimeoutMs, ...callLimits(callTimeoutMs) },
    discover: false,
    cache: false,
    closeTimeoutMs,
  };
}
