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
 * Its phase is always `handshake`. Callers repeat a request if its MCP server is busy; the phase tells them that the error's status and
 * wait are not that server's.
 *
 * Its status is the one with which the server refused the request: callers that can renew other values of an entry depend on it. A
 * temporary or aborted failure says nothing about what was sent, so it keeps its own status.
 *
 * Its outcome is `rejected`, unless it has another one: the request was refused before it was processed.
 */
export function challengeError(
  thrown: unknown,
  { name }: ResolvedServer,
  { status }: AuthChallenge,
): McpError {
  const error = isMcpError(thrown) ? thrown : unexpected(name, thrown);
  const httpStatus = isUndecided(error) ? error.httpStatus : status;
  const { cause, outcome = "rejected" } = error;
  if (error.phase === "handshake" && error.httpStatus === httpStatus && error.outcome === outcome)
    return error;
  return new McpError(error.code, error.message, {
    ...error.toJSON(),
    phase: "handshake",
    httpStatus,
    outcome,
    cause,
  });
}

/** A host's own vault or `settingsOf` may throw anything, which a transport would take for a lost session. */
function unexpected(server: string, cause: unknown): McpError {
  return notJustNow(server, `its login cannot be used (${quote(thrownMessage(cause))}).`, { cause });
}

function isUndecided(error: McpError): boolean {
  return isPassing(error) || error.code === "MCP_ABORTED" || error.code === "MCP_CLOSED";
}

/** The error of a login whose page was shown. It is not retryable, because a retry would show the person another page. */
export function withoutRetry(error: unknown): unknown {
  if (!isMcpError(error) || !error.retryable) return error;
  const details = { ...error.toJSON(), outcome: "rejected", cause: error } as const;
  return new McpError("MCP_AUTH_REQUIRED", `${error.message} Log in again.`, details);
}

/** The error of a login that the caller cancelled. */
export function givenUp(signal: AbortSignal): McpError {
  return new McpError("MCP_ABORTED", "The login was aborted.", { cause: signal.reason });
}
