import type { McpError, ServerNotification } from "@jackfield/mcp-core";
import type { ServerContext } from "../context/server-context.ts";
import type { CatalogMemory } from "./catalog-memory.ts";
import { silencedError } from "./gone-error.ts";
import { createHeartbeat, type Heartbeat, type HeartbeatPolicy } from "./heartbeat.ts";
import type { ServerHooks } from "./server-hooks.ts";
import type { ServerTools } from "./server-tools.ts";
import type { WatchedSession } from "./watched-session.ts";

export interface SessionAttendantOptions {
  readonly server: string;
  readonly tools: ServerTools;
  readonly context: ServerContext;
  readonly memory: CatalogMemory;
  readonly hooks: ServerHooks;
  readonly heartbeat: HeartbeatPolicy;
  /** Whether this is still the session in use. */
  readonly isCurrent: (session: WatchedSession) => boolean;
  /** Gives the session up. */
  readonly lose: (session: WatchedSession, error: McpError) => void;
}

/** So many notifications wait for their lists at most: a server that floods fills no memory with them. */
const MOST_WAITING = 100;

/** Does what a session that has just been opened wants done: loads what the server offers, hears what it says, sees that it lives. */
export function attendSession(
  session: WatchedSession,
  options: SessionAttendantOptions,
): Heartbeat | undefined {
  const { tools, context, memory, hooks, isCurrent } = options;

  /** What else a server offers is asked for when its tools are in. */
  const load = () => {
    context.opened(session);
    void tools.loader.load(session).then(() => {
      if (isCurrent(session)) context.load(session);
    });
  };

  let waiting = 0;
  /** Whoever hears that a list has changed finds the new one ([N12]); everything else is told at once. */
  const notified = (notification: ServerNotification) => {
    const isOfTools = notification.method === "notifications/tools/list_changed";
    if (isOfTools) memory.doubt();
    const lists = isOfTools ? [tools.loader.announce(session)] : context.notified(session, notification);
    if (lists.length === 0 || waiting === MOST_WAITING) return hooks.notified(notification);
    waiting += 1;
    void Promise.all(lists).then(() => {
      waiting -= 1;
      hooks.notified(notification);
    });
  };

  /** What came during the handshake is older than the lists that are about to be asked for: it makes none be asked for anew ([N10]). */
  let isBegun = false;
  session.onNotification((notification) => {
    if (!isCurrent(session)) return;
    if (isBegun) notified(notification);
    else hooks.notified(notification);
  });
  session.onRenewed(() => {
    if (isCurrent(session)) load();
  });
  isBegun = true;
  load();
  return seeThatItLives(session, options);
}

/** From 2026-07-28 on there is no ping: there the open stream and the calls are the evidence. */
function seeThatItLives(
  session: WatchedSession,
  { server, heartbeat, hooks, lose }: SessionAttendantOptions,
): Heartbeat | undefined {
  if (session.handshake.era === "modern") return undefined;
  const subject = {
    server,
    ping: (timeoutMs: number) => session.request("ping", undefined, { timeoutMs }),
    heardAt: () => session.heardAt,
    isBusy: () => session.isBusy,
  };
  return createHeartbeat(heartbeat, subject, (error) => {
    hooks.unhealthy(error);
    session.giveUp((isCall) => silencedError(server, isCall)); // It cannot say by itself why it ends.
    lose(session, error);
  });
}
