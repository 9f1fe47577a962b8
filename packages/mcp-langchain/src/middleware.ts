export type { ToolApproval } from "@jackfield/mcp-tools";
export type { McpInputAnswers, McpInputInterrupt, McpInputRequest } from "./agent/input-required.ts";
export { type McpMiddlewareOptions, mcpMiddleware } from "./agent/mcp-middleware.ts";
