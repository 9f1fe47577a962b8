import type { ServerNotification } from "@jackfield/mcp-core";
import { callListener } from "../listener-call.ts";

/** A server may talk before anybody listens; this much of it is kept. */
const MAX_KEPT = 100;

type Listener = (notification: ServerNotification) => void;

/** Passes notifications on to whoever listens, and keeps those that came before the first listener. */
export interface NotificationRelay {
  push(notification: ServerNotification): void;
  listen(listener: Listener): () => void;
}

/** `onListenerError` hears of listeners that throw: they disturb nobody else. */
export function createNotificationRelay(onListenerError: (error: unknown) => void): NotificationRelay {
  const listeners = new Set<Listener>();
  let kept: ServerNotification[] | undefined = [];

  const tell = (listener: Listener, notification: ServerNotification) =>
    callListener(() => listener(notification), onListenerError);

  return {
    push(notification) {
      if (kept) {
        if (kept.length < MAX_KEPT) kept.push(notification);
        return;
      }
      for (const listener of [...listeners]) tell(listener, notification);
    },
    listen(listener) {
      const own: Listener = (notification) => listener(notification);
      listeners.add(own);
      const missed = kept ?? [];
      kept = undefined;
      for (const notification of missed) tell(own, notification);
      return () => void listeners.delete(own);
    },
  };
}
