import { type Logger, thrownText } from "@jackfield/mcp-core";

/**
 * Who listens to what. A listener that throws, or whose promise rejects, is logged and disturbs nobody ([S6], [N11]). All hear the same
 * order: what a listener brings about is told when everybody has heard what it heard.
 */
export interface Emitter<Events> {
  /**
   * @param isWanted - which events the listener is for; default all. What it does not want stays for those who do.
   * @returns what ends it, at once: also what is being told just now is not told to it any more
   */
  on<E extends keyof Events>(
    event: E,
    listener: (event: Events[E]) => void,
    isWanted?: (event: Events[E]) => boolean,
  ): () => void;
  emit<E extends keyof Events>(event: E, value: Events[E]): void;
}

/** Of which events those are kept that nobody listens to yet, and how many: then the oldest goes ([N9]). */
export type KeptEvents<Events> = { readonly [E in keyof Events]?: number };

interface Listener {
  hear(value: never): unknown;
  isFor(value: never): boolean;
}

/** What is to be told, and to whom. */
interface PendingEvent<Events> {
  readonly event: keyof Events;
  readonly value: unknown;
  readonly listeners: Iterable<Listener>;
}

/** Who listens to one event, and what nobody has heard yet; `undefined` once somebody has listened to all of it. */
interface Topic {
  readonly listeners: Set<Listener>;
  missed: readonly unknown[] | undefined;
}

/** @param keep - what is told in order to the first listener that wants it, as soon as there is one */
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
  const complain = (event: keyof Events, error: unknown) =>
    log("error", `a listener of "${String(event)}" threw`, { error: thrownText(error) });
  /** Whether the listener wanted it. */
  const tell = (event: keyof Events, { listeners }: Topic, listener: Listener, value: unknown): boolean => {
    if (!listeners.has(listener) || !listener.isFor(value as never)) return false;
    try {
      const returned = listener.hear(value as never);
      if (returned instanceof Promise) returned.catch((error: unknown) => complain(event, error));
    } catch (error) {
      complain(event, error);
    }
    return true;
  };
  const deliver = ({ event, value, listeners }: PendingEvent<Events>): void => {
    const topic = topicOf(event);
    const most = keep[event];
    const heard = [...listeners].filter((listener) => tell(event, topic, listener, value));
    if (heard.length === 0 && topic.missed !== undefined && most !== undefined)
      topic.missed = [...topic.missed, value].slice(-most);
  };
  const waiting: PendingEvent<Events>[] = [];
  let isTelling = false;
  /** Does some telling, and then tells what came of it. */
  const inTurn = (telling: () => void): void => {
    if (isTelling) {
      telling();
      return;
    }
    isTelling = true;
    try {
      telling();
      for (let pending = waiting.shift(); pending !== undefined; pending = waiting.shift()) deliver(pending);
    } finally {
      isTelling = false;
    }
  };
  return {
    on(event, call, isWanted) {
      const topic = topicOf(event);
      const listener: Listener = {
        hear: (value) => call(value),
        isFor: (value) => isWanted?.(value) ?? true,
      };
      topic.listeners.add(listener);
      inTurn(() => {
        const left = topic.missed?.filter((value) => !tell(event, topic, listener, value));
        topic.missed = isWanted === undefined ? undefined : left;
      });
      return () => void topic.listeners.delete(listener);
    },
    emit(event, value) {
      const { listeners, missed } = topicOf(event);
      // What is kept is for whoever comes before it is told; everything else for those who are there now.
      const pending = {
        event,
        value,
        listeners: missed === undefined && isTelling ? [...listeners] : listeners,
      };
      if (isTelling) waiting.push(pending);
      else inTurn(() => deliver(pending));
    },
  };
}
