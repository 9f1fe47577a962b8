export type {
  ConfigProblem,
  InlineServer,
  PromptApproverOptions,
  ServerApprovalRequest,
  ServerApprover,
  ServerFilter,
  ServerPattern,
  TrustFolder,
} from "@jackfield/mcp-config";
export { promptApprover } from "@jackfield/mcp-config/runtime";
export { isMcpError, McpError, type ToolTypes } from "@jackfield/mcp-core";
export {
  type AsyncViewFilter,
  type HeartbeatOptions,
  type McpManagerOptions,
  RETRY_PRESETS,
  type ReconnectOptions,
  type ReloadReport,
  type RetryPolicy,
  type StartupOptions,
  type StartupReport,
  type ToolView,
  type ViewFilter,
} from "@jackfield/mcp-manager";
export type { HttpOptions, HttpOptionsSource, Leftover, TlsOptions } from "@jackfield/mcp-transports";
export type { BlockedReport } from "./blocked-servers.ts";
export type { GuardOptions } from "./guards.ts";
export type { Mcp, McpForPrincipal, McpReloadReport, McpReport } from "./mcp.ts";
export { openMcp } from "./open-mcp.ts";
export type {
  CacheOptions,
  DiscoverOptions,
  McpFilterOptions,
  OpenMcpOptions,
} from "./open-mcp-options.ts";
export { claudeCode } from "./presets/claude-code.ts";
export { hexos } from "./presets/hexos.ts";
export { ohMyPi } from "./presets/oh-my-pi.ts";
export { type OpenaiAgentsOptions, openaiAgents } from "./presets/openai-agents.ts";
export type { RuntimePreset } from "./presets/runtime-preset.ts";
export { sideCar } from "./presets/sidecar.ts";
export { endLeftovers, fixedRoots } from "./transports.ts";
