export { createMcpManager, type McpManager, type OperationOptions } from "./manager.ts";
export { DEFAULT_STARTUP, type McpManagerOptions, type StartupOptions } from "./options.ts";
export { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./server/retry-policy.ts";
export type { StartupReport } from "./startup/startup-report.ts";
