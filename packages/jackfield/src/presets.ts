import { DEFAULT_LIMITS, type ServerLimits } from "@jackfield/mcp-core";
import { NAMING_PRESETS, RETRY_PRESETS } from "@jackfield/mcp-manager";
import { durationVariable, type Variables } from "./connect-deadline.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";

/** Options of `openMcp` that make it behave as another runtime does; spread them first, then set your own. */
export type RuntimePreset = Pick<
  OpenMcpOptions,
  "cache" | "discover" | "guards" | "inheritEnv" | "limits" | "naming" | "resolve" | "retry" | "startup"
>;

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
    limits: { connectTimeoutMs: timeoutMs, ...callLimits(timeoutMs), closeTimeoutMs: 3_000 },
    inheritEnv: true,
    resolve: { missingVariable: "literal", runCommands: true },
    discover: { hosts: "all" },
  };
}

/**
 * Behaves as SideCar's `MCPManager` was meant to: start-up waits until every server has settled; retries after 2, 5 and 15 s and then gives
 * up; names as `mcp_server_tool`; children see a short list of variables; a variable that is not set is empty; results for models are cut
 * at 50,000 characters and enclosed in markers. The caller decides on trust of the workspace, with `approval.folders`, and on approval of calls: give
 * adapters `approval: "always"`.
 */
export function sideCar(): RuntimePreset {
  return {
    startup: { uncached: "wait", staleAfterMs: 0, gateMs: Number.POSITIVE_INFINITY, failures: "keep" },
    retry: RETRY_PRESETS.sidecar,
    naming: NAMING_PRESETS.sidecar,
    inheritEnv: ["TMPDIR", "TEMP", "TMP", "TERM", "LANG", "LC_ALL", "SHELL"],
    resolve: { missingVariable: "empty" },
    guards: { limits: { maxResultChars: 50_000 }, mark: true },
    limits: { closeTimeoutMs: 10_000 },
  };
}

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
    limits: { connectTimeoutMs, closeTimeoutMs, ...callLimits(callTimeoutMs) },
    discover: false,
    cache: false,
  };
}

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
    retry: { ...RETRY_PRESETS["claude-code"], heartbeat: { intervalMs: 30_000 } },
    naming: NAMING_PRESETS["claude-code"],
    limits: {
      connectTimeoutMs: durationVariable(env, "MCP_TIMEOUT", 1) ?? 30_000,
      ...callLimits(durationVariable(env, "MCP_TOOL_TIMEOUT", 1)),
    },
    inheritEnv: true,
    resolve: { missingVariable: "host" },
    discover: { hosts: ["claude-code", "claude-plugin"] },
  };
}

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

/**
 * The call limits for runtimes that have only one, in milliseconds, `0` = none. A limit above the default total limit of ten minutes raises
 * that as well: a call that may take an hour must not end before. `undefined` leaves both at their defaults.
 */
function callLimits(callTimeoutMs: number | undefined): Pick<ServerLimits, "callTimeoutMs" | "maxTotalMs"> {
  if (callTimeoutMs === undefined || callTimeoutMs === 0) return { callTimeoutMs, maxTotalMs: callTimeoutMs };
  return { callTimeoutMs, maxTotalMs: Math.max(DEFAULT_LIMITS.maxTotalMs, callTimeoutMs) };
}
