import { type Logger, thrownText } from "@jackfield/mcp-core";

/** How many events of a kind are kept while nobody listens; beyond that the oldest is dropped ([N9]). */
export type KeptEvents<Events> = { readonly [E in keyof Events]?: number };

interface Listener {
  call(value: never): unknown;
  isFor(value: never): boolean;
}

/** The listeners of one event, and the kept values that none has taken; `undefined` if none are kept, or once a listener takes all. */
interface Topic {
  readonly listeners: Set<Listener>;
  missed: readonly unknown[] | undefined;
}

/**
 * Delivers events to listeners. A listener that throws, or whose promise rejects, is logged and does not affect others ([S6], [N11]).
 * All listeners get the same order: events that a listener causes are delivered after the current one has reached all.
 */
export class Emitter<Events> {
  readonly #log: Logger;
  readonly #keep: KeptEvents<Events>;
  readonly #topics = new Map<keyof Events, Topic>();
  readonly #waiting: (() => void)[] = [];
  #isDelivering = false;
  #isHeld = false;

  /** @param keep - the events to keep; delivered in order to the first listener that wants them */
  constructor(log: Logger, keep: KeptEvents<Events> = {}) {
    this.#log = log;
    this.#keep = keep;
  }

  /**
   * @param isWanted - which events the listener gets; default all. Kept events it does not want stay for other listeners
   * @returns removes the listener at once: it does not even get the event being delivered
   */
  on<E extends keyof Events>(
    event: E,
    callback: (event: Events[E]) => void,
    isWanted?: (event: Events[E]) => boolean,
  ): () => void {
    const topic = this.#topic(event);
    const listener: Listener = {
      call: (value) => callback(value),
      isFor: (value) => isWanted?.(value) ?? true,
    };
    topic.listeners.add(listener);
    const catchUp = () => {
      const left = topic.missed?.filter((value) => !this.#notify(event, topic, listener, value));
      topic.missed = isWanted === undefined ? undefined : left;
    };
    if (this.#isDelivering) catchUp();
    else this.#deliver(catchUp);
    return () => void topic.listeners.delete(listener);
  }

  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    const topic = this.#topic(event);
    // A kept event also reaches listeners added before its delivery; others reach only the current listeners.
    const isLate = this.#isDelivering && topic.missed === undefined && !this.#isHeld;
    const listeners = isLate ? [...topic.listeners] : topic.listeners;
    const delivery = () => this.#send(event, topic, listeners, value);
    if (this.#isDelivering || this.#isHeld) this.#waiting.push(delivery);
    else this.#deliver(delivery);
  }

  /**
   * Runs `work`; events emitted meanwhile are delivered after it, before this returns. A listener may start such work again; its events
   * are delivered after those already waiting.
   */
  after<T>(work: () => T): T {
    this.#isHeld = true;
    try {
      return work();
    } finally {
      this.#isHeld = false;
      if (!this.#isDelivering) this.#deliver(() => {});
    }
  }

  #topic(event: keyof Events): Topic {
    const topic = this.#topics.get(event) ?? {
      listeners: new Set(),
      missed: this.#keep[event] === undefined ? undefined : [],
    };
    this.#topics.set(event, topic);
    return topic;
  }

  /** Makes a delivery, then those that its listeners caused. */
  #deliver(delivery: () => void): void {
    this.#isDelivering = true;
    try {
      delivery();
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) next();
    } finally {
      this.#isDelivering = false;
    }
  }

  #send(event: keyof Events, topic: Topic, listeners: Iterable<Listener>, value: unknown): void {
    const receivers = [...listeners].filter((listener) => this.#notify(event, topic, listener, value));
    const most = this.#keep[event];
    if (receivers.length === 0 && topic.missed !== undefined && most !== undefined)
      topic.missed = [...topic.missed, value].slice(-most);
  }

  /** Delivers a value; false if the listener does not want it. */
  #notify(event: keyof Events, { listeners }: Topic, listener: Listener, value: unknown): boolean {
    if (!listeners.has(listener) || !listener.isFor(value as never)) return false;
    try {
      const returned = listener.call(value as never);
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#logFailure(event, error));
    } catch (error) {
      this.#logFailure(event, error);
    }
    return true;
  }

  #logFailure(event: keyof Events, error: unknown): void {
    this.#log("error", `A listener of "${String(event)}" threw.`, { error: thrownText(error) });
  }
}
