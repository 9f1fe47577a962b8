import { isMcpError, type McpError } from "@jackfield/mcp-core";

/** How many unsent attempts are repeated: the first on the same session if it still stands, the second on another one. */
export const MOST_UNSENT = 2;

/**
 * Whether a request could not be sent: its session has ended and reports that a moment later, or only its connection broke. A request
 * that was cut off after it was sent says nothing about the session.
 */
export function isUnsent(error: unknown): error is McpError {
  return isMcpError(error, "MCP_SESSION_LOST") && error.outcome === "not-sent";
}

/** Waits for one turn of the event loop: a session reports its end a moment after its requests have failed. */
export function turnOfTheEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
