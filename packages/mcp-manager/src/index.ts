export { createMcpManager, type McpManager } from "./manager.ts";
export { DEFAULT_STARTUP, type McpManagerOptions, type StartupOptions } from "./options.ts";
export type { OperationOptions } from "./server/operation-deadline.ts";
export { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./server/retry-policy.ts";
export type { StartupReport } from "./startup/startup-report.ts";
