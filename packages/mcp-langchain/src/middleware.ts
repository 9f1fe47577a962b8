export type { InputRequest as McpInputRequest } from "@jackfield/mcp-core";
export type { ToolApproval } from "@jackfield/mcp-tools";
export type { McpInputAnswers, McpInputInterrupt, McpLoginInterrupt } from "./agent/input-required.ts";
export { type McpMiddlewareOptions, mcpMiddleware } from "./agent/mcp-middleware.ts";
