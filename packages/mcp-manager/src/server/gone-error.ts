import { McpError } from "@jackfield/mcp-core";
import type { ServerEvent } from "./state.ts";

/** Why there is no session, and none to wait for: the request was not sent. */
export function goneError(server: string, isDisconnected: boolean): McpError {
  const how = isDisconnected ? "was disconnected; reconnect it to use it again" : "was closed";
  return new McpError("MCP_CLOSED", `Server "${server}" ${how}.`, { server, outcome: "not-sent" });
}

/** Why a request was given up that is in flight when its session is let go: it may have been carried out. */
export function givenUpError(server: string, event: ServerEvent): McpError {
  const released = event.type === "release" && (event.disconnected ? "disconnected" : "reconnected");
  const message = `Server "${server}" was ${released || "closed"} while a request to it was in flight; it may have been carried out.`;
  return new McpError("MCP_CLOSED", message, { server, outcome: "unknown" });
}
