import { type Logger, thrownText } from "@jackfield/mcp-core";

/**
 * Delivers events to listeners. A listener that throws, or whose promise rejects, is logged and does not affect others ([S6], [N11]).
 * All listeners get the same order: events that a listener causes are delivered after the current one has reached all.
 */
export interface Emitter<Events> {
  /**
   * @param isWanted - which events the listener gets; default all. Kept events it does not want stay for other listeners
   * @returns removes the listener at once: it does not even get the event being delivered
   */
  on<E extends keyof Events>(
    event: E,
    listener: (event: Events[E]) => void,
    isWanted?: (event: Events[E]) => boolean,
  ): () => void;
  emit<E extends keyof Events>(event: E, value: Events[E]): void;
}

/** How many events of a kind are kept while nobody listens; beyond that the oldest is dropped ([N9]). */
export type KeptEvents<Events> = { readonly [E in keyof Events]?: number };

interface Listener {
  call(value: never): unknown;
  isFor(value: never): boolean;
}

/** An event to deliver, and its listeners. */
interface PendingEvent<Events> {
  readonly event: keyof Events;
  readonly value: unknown;
  readonly listeners: Iterable<Listener>;
}

/** The listeners of one event, and the kept values that none has taken; `undefined` if none are kept, or once a listener takes all. */
interface Topic {
  readonly listeners: Set<Listener>;
  missed: readonly unknown[] | undefined;
}

/** @param keep - the events to keep; delivered in order to the first listener that wants them */
export function createEmitter<Events>(log: Logger, keep: KeptEvents<Events> = {}): Emitter<Events> {
  const topics = new Map<keyof Events, Topic>();
  const topicOf = (event: keyof Events) => {
    const topic = topics.get(event) ?? {
      listeners: new Set(),
      missed: keep[event] === undefined ? undefined : [],
    };
    topics.set(event, topic);
    return topic;
  };
  const logFailure = (event: keyof Events, error: unknown) =>
    log("error", `A listener of "${String(event)}" threw.`, { error: thrownText(error) });
  /** Delivers a value; false if the listener does not want it. */
  const notify = (event: keyof Events, { listeners }: Topic, listener: Listener, value: unknown): boolean => {
    if (!listeners.has(listener) || !listener.isFor(value as never)) return false;
    try {
      const returned = listener.call(value as never);
      if (returned instanceof Promise) returned.catch((error: unknown) => logFailure(event, error));
    } catch (error) {
      logFailure(event, error);
    }
    return true;
  };
  const deliver = ({ event, value, listeners }: PendingEvent<Events>): void => {
    const topic = topicOf(event);
    const most = keep[event];
    const receivers = [...listeners].filter((listener) => notify(event, topic, listener, value));
    if (receivers.length === 0 && topic.missed !== undefined && most !== undefined)
      topic.missed = [...topic.missed, value].slice(-most);
  };
  const waiting: PendingEvent<Events>[] = [];
  let isDelivering = false;
  /** Delivers events, then the events that their listeners emitted. */
  const deliverWithWaiting = (delivery: () => void): void => {
    if (isDelivering) {
      delivery();
      return;
    }
    isDelivering = true;
    try {
      delivery();
      for (let pending = waiting.shift(); pending !== undefined; pending = waiting.shift()) deliver(pending);
    } finally {
      isDelivering = false;
    }
  };
  return {
    on(event, callback, isWanted) {
      const topic = topicOf(event);
      const listener: Listener = {
        call: (value) => callback(value),
        isFor: (value) => isWanted?.(value) ?? true,
      };
      topic.listeners.add(listener);
      deliverWithWaiting(() => {
        const left = topic.missed?.filter((value) => !notify(event, topic, listener, value));
        topic.missed = isWanted === undefined ? undefined : left;
      });
      return () => void topic.listeners.delete(listener);
    },
    emit(event, value) {
      const { listeners, missed } = topicOf(event);
      // A kept event also reaches listeners added before its delivery; others reach only the current listeners.
      const pending = {
        event,
        value,
        listeners: missed === undefined && isDelivering ? [...listeners] : listeners,
      };
      if (isDelivering) waiting.push(pending);
      else deliverWithWaiting(() => deliver(pending));
    },
  };
}
