import type { McpError, ServerNotification } from "@jackfield/mcp-core";
import type { ServerContext } from "../context/server-context.ts";
import type { CatalogMemory } from "./catalog-memory.ts";
import { silencedError } from "./gone-error.ts";
import { createHeartbeat, type Heartbeat, type HeartbeatPolicy, type PingRecord } from "./heartbeat.ts";
import type { ServerRelay } from "./server-relay.ts";
import type { ServerTools } from "./server-tools.ts";
import type { WatchedSession } from "./watched-session.ts";

export interface SessionAttendantOptions {
  readonly server: string;
  readonly tools: ServerTools;
  readonly context: ServerContext;
  readonly memory: CatalogMemory;
  readonly relay: ServerRelay;
  readonly heartbeat: HeartbeatPolicy;
  readonly pings: PingRecord;
  /** Whether this is still the session in use. */
  readonly isCurrent: (session: WatchedSession) => boolean;
  /** Treats the session as lost. */
  readonly reportLoss: (session: WatchedSession, error: McpError) => void;
}

/** The most notifications that wait for their lists: a server that floods must not fill the memory. */
const MOST_WAITING = 100;

/** Attends to a newly opened session: loads what the server offers, handles notifications, and starts the heartbeat. */
export function attendSession(
  session: WatchedSession,
  options: SessionAttendantOptions,
): Heartbeat | undefined {
  const { tools, context, memory, relay, isCurrent } = options;

  /** Resources and prompts are loaded after the tools. */
  const load = (listing: () => Promise<unknown>) => {
    context.opened(session);
    void listing().then(() => {
      if (isCurrent(session)) context.load(session);
    });
  };

  let waiting = 0;
  /** A `list_changed` notification is passed on when the new list is in ([N12]); all others at once. */
  const notified = (notification: ServerNotification) => {
    const isOfTools = notification.method === "notifications/tools/list_changed";
    if (isOfTools) memory.markStale();
    const lists = isOfTools ? [tools.loader.announce(session)] : context.notified(session, notification);
    if (lists.length === 0 || waiting === MOST_WAITING) return relay.notified(notification);
    waiting += 1;
    void Promise.all(lists).then(() => {
      waiting -= 1;
      relay.notified(notification);
    });
  };

  /** Notifications from the handshake are older than the lists loaded below, so they cause no second load ([N10]). */
  let isBegun = false;
  session.onNotification((notification) => {
    if (!isCurrent(session)) return;
    if (isBegun) notified(notification);
    else relay.notified(notification);
  });
  session.onRenewed(() => {
    if (isCurrent(session)) load(() => tools.renewed(session));
  });
  isBegun = true;
  load(() => tools.loader.load(session));
  return seeThatItLives(session, options);
}

/** Protocol versions from 2026-07-28 on have no ping: the open stream and the calls are the evidence. */
function seeThatItLives(
  session: WatchedSession,
  { server, heartbeat, pings, relay, reportLoss }: SessionAttendantOptions,
): Heartbeat | undefined {
  if (session.handshake.era === "modern") return undefined;
  const subject = {
    server,
    pings,
    ping: (timeoutMs: number) => session.request("ping", undefined, { timeoutMs }),
    heardAt: () => session.heardAt,
    isBusy: () => session.isBusy,
  };
  return createHeartbeat(heartbeat, subject, (error) => {
    relay.unhealthy(error);
    session.rejectInFlight((isCall) => silencedError(server, isCall)); // The session cannot tell why it ends.
    reportLoss(session, error);
  });
}
