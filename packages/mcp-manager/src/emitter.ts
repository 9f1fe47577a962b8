import type { Logger } from "@jackfield/mcp-core";

/** Who listens to what. A listener that throws, or whose promise rejects, is logged and disturbs nobody ([S6], [N11]). */
export interface Emitter<Events> {
  on<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void;
  emit<E extends keyof Events>(event: E, value: Events[E]): void;
}

/** Of which events those are kept that nobody listens to yet, and how many: then the oldest goes ([N9]). */
export type KeptEvents<Events> = { readonly [E in keyof Events]?: number };

/** @param keep - what is told in order to the first listener of an event, as soon as there is one */
export function createEmitter<Events>(log: Logger, keep: KeptEvents<Events> = {}): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<(value: never) => unknown>>();
  const kept = new Map<keyof Events, unknown[]>();
  const complain = (event: keyof Events, error: unknown) =>
    log("error", `a listener of "${String(event)}" threw`, { error: String(error) });
  const tell = (event: keyof Events, listener: (value: never) => unknown, value: unknown) => {
    try {
      const returned = listener(value as never);
      if (returned instanceof Promise) returned.catch((error: unknown) => complain(event, error));
    } catch (error) {
      complain(event, error);
    }
  };
  return {
    on(event, listener) {
      const added = (value: Parameters<typeof listener>[0]) => listener(value); // so that the same function may listen twice
      const ofEvent = listeners.get(event) ?? new Set();
      listeners.set(event, ofEvent.add(added));
      const missed = kept.get(event) ?? [];
      kept.delete(event);
      for (const value of missed) tell(event, added, value);
      return () => void ofEvent.delete(added);
    },
    emit(event, value) {
      const ofEvent = listeners.get(event);
      const most = keep[event];
      if (ofEvent === undefined && most !== undefined) {
        const missed = kept.get(event) ?? [];
        kept.set(event, [...missed, value].slice(-most));
      }
      for (const listener of [...(ofEvent ?? [])]) tell(event, listener, value);
    },
  };
}
