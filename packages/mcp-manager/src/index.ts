export { createMcpManager } from "./manager.ts";
export type { McpManager, ReconnectOptions } from "./mcp-manager.ts";
export { DEFAULT_STARTUP, type McpManagerOptions, type StartupOptions } from "./options.ts";
export type { ReloadReport } from "./reload-report.ts";
export { DEFAULT_HEARTBEAT, type HeartbeatOptions, type HeartbeatPolicy } from "./server/heartbeat.ts";
export type { OperationOptions } from "./server/operation-deadline.ts";
export { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./server/retry-policy.ts";
export { RETRY_PRESETS } from "./server/retry-presets.ts";
export type { StartupReport } from "./startup/startup-report.ts";
export {
  NAMING_PRESETS,
  type NameTool,
  type NamingOptions,
  type NamingStrategy,
} from "./tools/naming-options.ts";
export type { ToolView } from "./views/tool-view.ts";
export type { AsyncViewFilter, ViewFilter } from "./views/view-filter.ts";
