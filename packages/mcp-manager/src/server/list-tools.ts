import {
  DEFAULT_LIMITS,
  type Listing,
  McpError,
  type ServerDefinition,
  type Session,
} from "@jackfield/mcp-core";
import { createDeadline, raceSignal } from "../deadline.ts";

/**
 * Lists a server's tools, all pages of them within its `callTimeoutMs`.
 *
 * @throws McpError `MCP_CALL_TIMEOUT`, or whatever the session throws.
 */
export async function listTools(
  session: Session,
  { name, limits }: ServerDefinition,
): Promise<Listing<"tools">> {
  const timeoutMs = limits?.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
  const expired = () => {
    const message = `Server "${name}" did not list its tools within ${timeoutMs} ms; raise callTimeoutMs or check the server.`;
    return new McpError("MCP_CALL_TIMEOUT", message, { server: name, phase: "list" });
  };
  using deadline = createDeadline({ timeoutMs, aborted: expired, expired });
  try {
    return await raceSignal(session.list("tools", { signal: deadline.signal }), deadline.signal);
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  }
}
