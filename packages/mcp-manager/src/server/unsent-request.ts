import { isMcpError, type McpError } from "@jackfield/mcp-core";

/** So often something is tried that cannot be sent: a connection that broke is used once more, and after that another one is waited for. */
export const MOST_UNSENT = 2;

/**
 * Whether a session was of no use: it has ended and says so a moment later, or only its connection broke. What was cut off later may
 * have broken anywhere on its way, and says nothing of the session.
 */
export function isUnsent(error: unknown): error is McpError {
  return isMcpError(error, "MCP_SESSION_LOST") && error.outcome === "not-sent";
}
