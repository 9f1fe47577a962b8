export { createMcpManager } from "./manager.ts";
export type { CloseOptions, McpManager, PrincipalOptions, ReconnectOptions } from "./mcp-manager.ts";
export type {
  ConfiguredServer,
  McpManagerOptions,
  StartupOptions,
  UnusableServer,
} from "./options.ts";
export type { HeartbeatOptions } from "./server/heartbeat.ts";
export type { OperationOptions } from "./server/operation-deadline.ts";
export { DEFAULT_RETRY_POLICY, RETRY_PRESETS, type RetryPolicy } from "./server/retry-policy.ts";
export type { ReloadReport } from "./server-directory.ts";
export type { StartupReport } from "./startup.ts";
export {
  NAMING_PRESETS,
  type NameTool,
  type NamingOptions,
  type NamingStrategy,
} from "./tools/tool-naming.ts";
export type { ToolView } from "./views/tool-view.ts";
export type { AsyncViewFilter, ViewFilter } from "./views/view-filter.ts";
