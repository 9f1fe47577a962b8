import type { Logger } from "@jackfield/mcp-core";

/** Who listens to what. A listener that throws, or whose promise rejects, is logged and disturbs nobody ([S6], [N11]). */
export interface Emitter<Events> {
  on<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void;
  emit<E extends keyof Events>(event: E, value: Events[E]): void;
}

export function createEmitter<Events>(log: Logger): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<(value: never) => unknown>>();
  const complain = (event: keyof Events, error: unknown) =>
    log("error", `a listener of "${String(event)}" threw`, { error: String(error) });
  return {
    on(event, listener) {
      const added = (value: Parameters<typeof listener>[0]) => listener(value); // so that the same function may listen twice
      const ofEvent = listeners.get(event) ?? new Set();
      listeners.set(event, ofEvent.add(added));
      return () => void ofEvent.delete(added);
    },
    emit(event, value) {
      for (const listener of [...(listeners.get(event) ?? [])]) {
        try {
          const returned = listener(value as never);
          if (returned instanceof Promise) returned.catch((error: unknown) => complain(event, error));
        } catch (error) {
          complain(event, error);
        }
      }
    },
  };
}
