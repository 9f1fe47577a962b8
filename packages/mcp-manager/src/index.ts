export { createMcpManager, type McpManager, type ReconnectOptions } from "./manager.ts";
export { DEFAULT_STARTUP, type McpManagerOptions, type StartupOptions } from "./options.ts";
export type { ReloadReport } from "./reload-report.ts";
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
