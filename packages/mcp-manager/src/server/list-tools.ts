import {
  DEFAULT_LIMITS,
  type Listing,
  McpError,
  type ServerDefinition,
  type Session,
} from "@jackfield/mcp-core";
import { createDeadline, raceSignal } from "../deadline.ts";

/** A list, and when it was begun, epoch milliseconds: it may know nothing of what happened later. */
export interface DatedListing extends Listing<"tools"> {
  readonly beganAt: number;
}

/**
 * Lists a server's tools, all pages of them within its `callTimeoutMs`.
 *
 * @throws McpError `MCP_CALL_TIMEOUT`, or whatever the session throws.
 */
export async function listTools(session: Session, { name, limits }: ServerDefinition): Promise<DatedListing> {
  const timeoutMs = limits?.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
  const expired = () => {
    const message = `Server "${name}" did not list its tools within ${timeoutMs} ms; raise callTimeoutMs or check the server.`;
    return new McpError("MCP_CALL_TIMEOUT", message, { server: name, phase: "list" });
  };
  using deadline = createDeadline({ timeoutMs, aborted: expired, expired });
  const beganAt = Date.now();
  try {
    const listing = await raceSignal(session.list("tools", { signal: deadline.signal }), deadline.signal);
    return { ...listing, beganAt };
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  }
}
