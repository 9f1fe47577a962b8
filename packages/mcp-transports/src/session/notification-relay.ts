import type { ServerNotification } from "@jackfield/mcp-core";
import { callListener } from "../listener-call.ts";

/** The most notifications kept for the first listener. */
const MAX_KEPT = 100;

type Listener = (notification: ServerNotification) => void;

/** Passes notifications on to the listeners, and keeps those that arrive before the first listener. */
export interface NotificationRelay {
  push(notification: ServerNotification): void;
  listen(listener: Listener): () => void;
}

/** `onListenerError` receives the errors of listeners, which do not affect other listeners. */
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
