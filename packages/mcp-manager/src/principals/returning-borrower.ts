import { createDeadline, McpError } from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";

/** A server whose session is borrowed. */
export type Borrower = Pick<ManagedServer, "definition" | "dropped" | "reconnect" | "snapshot">;

/**
 * Reconnects a borrower whose lender is ready, if it gave up while there was nothing to borrow. A borrower that is well, or was
 * disconnected on purpose, is left alone.
 *
 * @param stop - fires when the borrower's run ends
 */
export async function bringBack(borrower: Borrower, stop: AbortSignal): Promise<void> {
  const { shared, name } = borrower.definition;
  const { status } = borrower.snapshot();
  const hasGivenUp = status === "failed" || status === "backoff" || borrower.dropped !== undefined;
  if (shared !== true || !hasGivenUp) return;
  const gaveUp = () =>
    new McpError("MCP_ABORTED", `Reconnecting server "${name}" was aborted.`, { server: name });
  using deadline = createDeadline({ signal: stop, timeoutMs: 0, aborted: gaveUp, expired: gaveUp });
  await borrower.reconnect(deadline).catch(() => {}); // The server reports the failure itself.
}
