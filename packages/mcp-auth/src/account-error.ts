import { type AuthChallenge, isMcpError, McpError } from "@jackfield/mcp-core";
import { isPassing } from "./flow/outage.ts";

/**
 * What kept a challenge from being met, with the status by which the server has refused: whoever can renew other values of its entry goes
 * by that. What passes, or was given up, says nothing of what was sent, and stays what it is.
 */
export function withStatus(error: unknown, { status }: AuthChallenge): unknown {
  if (!isMcpError(error) || error.httpStatus === status || isUndecided(error)) return error;
  const { cause } = error;
  return new McpError(error.code, error.message, { ...error.toJSON(), httpStatus: status, cause });
}

function isUndecided(error: McpError): boolean {
  return isPassing(error) || error.code === "MCP_ABORTED" || error.code === "MCP_CLOSED";
}

/** The error of a login for which somebody was shown a page: what may be tried again would show him the next one, so it ends here. */
export function withoutRetry(error: unknown): unknown {
  if (!isMcpError(error) || !error.retryable) return error;
  const details = { ...error.toJSON(), outcome: "rejected", cause: error } as const;
  return new McpError("MCP_AUTH_REQUIRED", `${error.message} Log in again.`, details);
}
