export type { ConfigProblem, InlineServer } from "@jackfield/mcp-config";
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
export type { Leftover } from "@jackfield/mcp-transports";
export type { Mcp, McpReloadReport, McpReport } from "./mcp.ts";
export { openMcp } from "./open-mcp.ts";
export type { CacheOptions, OpenMcpOptions } from "./open-mcp-options.ts";
export { endLeftovers } from "./transports.ts";
