import { McpError } from "@jackfield/mcp-core";
import { createDeadline } from "../deadline.ts";
import type { ManagedServer } from "../server/managed-server.ts";

/** A server whose session is borrowed. */
export type Borrower = Pick<ManagedServer, "definition" | "dropped" | "reconnect" | "snapshot">;

/**
 * Connects a borrower whose lender is ready: it may have given up, for there was nothing to borrow. One that is well, or was let go on
 * purpose, is left alone.
 *
 * @param stop - fires when nobody wants it any more
 */
export async function bringBack(borrower: Borrower, stop: AbortSignal): Promise<void> {
  const { shared, name } = borrower.definition;
  const { status } = borrower.snapshot();
  const hasGivenUp = status === "failed" || status === "backoff" || borrower.dropped !== undefined;
  if (shared !== true || !hasGivenUp) return;
  const gaveUp = () =>
    new McpError("MCP_ABORTED", `Nobody waits for server "${name}" any more.`, { server: name });
  using deadline = createDeadline({ signal: stop, timeoutMs: 0, aborted: gaveUp, expired: gaveUp });
  await borrower.reconnect(deadline).catch(() => {}); // Whoever watches the server is told.
}
