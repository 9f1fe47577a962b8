import {
  type AuthChallenge,
  isMcpError,
  McpError,
  type ResolvedServer,
  thrownMessage,
} from "@jackfield/mcp-core";
import { quote } from "./flow/login-error.ts";
import { isPassing, notJustNow } from "./flow/outage.ts";

/**
 * The error of a challenge that was not met.
 *
 * Its phase is always `handshake`. Callers repeat a request if its MCP server is busy; the phase tells them that this status and this
 * wait are not that server's.
 *
 * Its status is the one with which the server refused the request, because callers that can renew other values of an entry go by it. An
 * error that passes, or that comes from giving up, says nothing about what was sent. It keeps the status that it has.
 */
export function challengeError(
  thrown: unknown,
  { name }: ResolvedServer,
  { status }: AuthChallenge,
): McpError {
  const error = isMcpError(thrown) ? thrown : unexpected(name, thrown);
  const httpStatus = isUndecided(error) ? error.httpStatus : status;
  if (error.phase === "handshake" && error.httpStatus === httpStatus) return error;
  const { cause } = error;
  return new McpError(error.code, error.message, {
    ...error.toJSON(),
    phase: "handshake",
    httpStatus,
    cause,
  });
}

/** A vault of the program's own, or its `settingsOf`, may throw anything. A transport would take that for a lost session. */
function unexpected(server: string, cause: unknown): McpError {
  return notJustNow(server, `its login cannot be used (${quote(thrownMessage(cause))}).`, { cause });
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
