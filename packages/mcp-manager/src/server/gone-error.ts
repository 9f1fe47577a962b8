import { type ErrorCode, McpError } from "@jackfield/mcp-core";
import type { ServerEvent } from "./state.ts";

/** There is no session, and none to wait for; the request was not sent. */
export function goneError(server: string, isDisconnected: boolean): McpError {
  const how = isDisconnected ? "was disconnected; reconnect it to use it again" : "was closed";
  return new McpError("MCP_CLOSED", `Server "${server}" ${how}.`, { server, outcome: "not-sent" });
}

/** A request was in flight when its session was closed on purpose; it may have been carried out. */
export function givenUpError(server: string, event: ServerEvent): McpError {
  const released = event.type === "release" && (event.disconnected ? "disconnected" : "reconnected");
  return inFlightError("MCP_CLOSED", server, `was ${released || "closed"}`);
}

/** A request was in flight when its server stopped answering pings; the same code as for a lost session. */
export function silencedError(server: string, isCall: boolean): McpError {
  return inFlightError(isCall ? "MCP_OUTCOME_UNKNOWN" : "MCP_SESSION_LOST", server, "stopped answering");
}

/** Replaces the `MCP_CLOSED` of a request on a lost session: its user did not close the session. */
export function lostError(closed: McpError, loss: McpError, isCall: boolean): McpError {
  const isSent = closed.outcome !== "not-sent";
  const became = isSent
    ? "while a request to it was in flight; it may have been carried out"
    : "before a request was sent";
  const code = isSent && isCall ? "MCP_OUTCOME_UNKNOWN" : "MCP_SESSION_LOST";
  const message = `Server "${closed.server ?? loss.server}" was lost ${became}: ${loss.message}`;
  return new McpError(code, message, {
    ...closed.toJSON(),
    outcome: isSent ? "unknown" : "not-sent",
    cause: loss,
  });
}

function inFlightError(code: ErrorCode, server: string, what: string): McpError {
  const message = `Server "${server}" ${what} while a request to it was in flight; it may have been carried out.`;
  return new McpError(code, message, { server, outcome: "unknown" });
}
