export {
  type ConfigProblem,
  type InlineServer,
  type PromptApproverOptions,
  promptApprover,
  type ServerApprovalRequest,
  type ServerApprover,
  type ServerFilter,
  type ServerPattern,
  type TrustFolder,
} from "@jackfield/mcp-config";
export { isMcpError, McpError } from "@jackfield/mcp-core";
export {
  type McpManagerOptions,
  RETRY_PRESETS,
  type ReconnectOptions,
  type ReloadReport,
  type RetryPolicy,
  type StartupOptions,
  type StartupReport,
} from "@jackfield/mcp-manager";
export type { HttpOptions, HttpOptionsSource, Leftover, TlsOptions } from "@jackfield/mcp-transports";
export type { BlockedReport } from "./blocked-servers.ts";
export type { GuardOptions } from "./guards.ts";
export type { Mcp, McpReloadReport, McpReport } from "./mcp.ts";
export { openMcp } from "./open-mcp.ts";
export type {
  CacheOptions,
  DiscoverOptions,
  McpFilterOptions,
  OpenMcpOptions,
} from "./open-mcp-options.ts";
export { endLeftovers } from "./transports.ts";
