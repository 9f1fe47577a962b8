/**
 * The place of everything that may stand between a model and a server. For now it holds the two ports alone, so that a host
 * can bring its own implementations.
 */
export type { CallMiddleware, ToolCall, ToolListPolicy } from "@jackfield/mcp-core";
