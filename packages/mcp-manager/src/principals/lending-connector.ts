import { type Connector, createDeadline, type Deadline, McpError, type Session } from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import type { WatchedSession } from "../server/watched-session.ts";
import { borrowSession } from "./borrowed-session.ts";
import type { GatheredLists } from "./gathered-lists.ts";

/** A server whose session is lent. */
export type Lender = Pick<ManagedServer, "openSession" | "reportLoss"> & {
  session(deadline: Deadline): Promise<Session & Pick<WatchedSession, "isIdle">>;
  readonly context: Pick<ManagedServer["context"], "subscribe">;
};

export interface LendingConnectorOptions {
  /** The lender's lists, shared by all its borrowers. */
  readonly lists: GatheredLists;
  /** Opens the sessions that are not lent. */
  readonly connect: Connector;
  /** The lender's server of this name, if its sessions are lent. @throws McpError `MCP_CLOSED` if the lender is closed */
  readonly lender: (server: string) => Lender | undefined;
}

/**
 * Opens sessions for another user. For a shared server it borrows the lender's session, and waits for it if it is not open; for all
 * others it opens one.
 */
export function createLendingConnector({ connect, lender, lists }: LendingConnectorOptions): Connector {
  return async (server, options) => {
    const lent = lender(server.name);
    if (lent === undefined) return connect(server, options);
    using deadline = borrowingDeadline(server.name, options.signal);
    const session = await lent.session(deadline);
    const watch = (uri: string) => lent.context.subscribe(session, uri, () => {});
    const reportLoss = (error: McpError) => lent.reportLoss(session, error);
    const isUsed = () => lent.openSession?.isUsed === true; // A replaced session has ended for its borrowers, too.
    const isIdle = () => session.isIdle;
    return borrowSession(session, { list: lists(session), watch, reportLoss, isUsed, isIdle });
  };
}

/** The borrower's wait has no time limit of its own: it ends with the lender's attempt, or when the session is no longer wanted. */
function borrowingDeadline(server: string, signal: AbortSignal): Deadline {
  const gaveUp = () =>
    new McpError("MCP_ABORTED", `Connecting to server "${server}" was aborted.`, { server });
  return createDeadline({ signal, timeoutMs: 0, aborted: gaveUp, expired: gaveUp });
}
