import type { Logger } from "@jackfield/mcp-core";

/** Who listens to what. A listener that throws, or whose promise rejects, is logged and disturbs nobody ([S6], [N11]). */
export interface Emitter<Events> {
  /**
   * @param isWanted - which events the listener is for; default all. What it does not want stays for those who do.
   * @returns what ends it
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

interface Ear {
  hear(value: never): unknown;
  isFor(value: never): boolean;
}

/** Who listens to one event, and what nobody has heard yet; `undefined` once somebody has listened to all of it. */
interface Line {
  readonly ears: Set<Ear>;
  missed: readonly unknown[] | undefined;
}

/** @param keep - what is told in order to the first listener that wants it, as soon as there is one */
export function createEmitter<Events>(log: Logger, keep: KeptEvents<Events> = {}): Emitter<Events> {
  const lines = new Map<keyof Events, Line>();
  const lineOf = (event: keyof Events) => {
    const line = lines.get(event) ?? { ears: new Set(), missed: keep[event] === undefined ? undefined : [] };
    lines.set(event, line);
    return line;
  };
  const complain = (event: keyof Events, error: unknown) =>
    log("error", `a listener of "${String(event)}" threw`, { error: String(error) });
  /** Whether the ear wanted it. */
  const tell = (event: keyof Events, ear: Ear, value: unknown): boolean => {
    if (!ear.isFor(value as never)) return false;
    try {
      const returned = ear.hear(value as never);
      if (returned instanceof Promise) returned.catch((error: unknown) => complain(event, error));
    } catch (error) {
      complain(event, error);
    }
    return true;
  };
  return {
    on(event, listener, isWanted) {
      const line = lineOf(event);
      const ear: Ear = { hear: (value) => listener(value), isFor: (value) => isWanted?.(value) ?? true };
      line.ears.add(ear);
      const left = line.missed?.filter((value) => !tell(event, ear, value));
      line.missed = isWanted === undefined ? undefined : left;
      return () => void line.ears.delete(ear);
    },
    emit(event, value) {
      const line = lineOf(event);
      const most = keep[event];
      const heard = [...line.ears].filter((ear) => tell(event, ear, value));
      if (heard.length === 0 && line.missed !== undefined && most !== undefined)
        line.missed = [...line.missed, value].slice(-most);
    },
  };
}
