export type { ConfigProblem, InlineServer } from "@jackfield/mcp-config";
export { isMcpError, McpError } from "@jackfield/mcp-core";
export type { McpManagerOptions, RetryPolicy, StartupOptions, StartupReport } from "@jackfield/mcp-manager";
export { endLeftovers, type Leftover } from "@jackfield/mcp-transports";
export type { Mcp, McpReport } from "./mcp.ts";
export { openMcp } from "./open-mcp.ts";
export type { CacheOptions, OpenMcpOptions } from "./open-mcp-options.ts";
